import { loadConfig } from '../config.ts'
import { WakeHub } from '../domain/events/wake-hub.ts'
import { checkDelivery } from '../domain/webhooks/worker/startup-check.ts'
import { logger, openLog } from '../telemetry/logger.ts'
import { startWorker } from './background/delivery.ts'
import { startMailing } from './background/mailing.ts'
import { listenToNotifications } from './background/notifications.ts'
import { openNats, startRelay } from './background/relay.ts'
import { findDatabase } from './command-context.ts'
import { openContext } from './context.ts'
import type { Lifecycle } from './lifecycle.ts'
import { openMetrics, publishMetrics } from './metrics/metrics.ts'
import { openTraces } from './metrics/tracing.ts'
import { openStorage } from './storage.ts'
import { waitForDatabase } from './wait-for-database.ts'

/** Delivers webhooks without serving requests: beside a running service, or over a database that it opens itself. */
export async function startStandaloneWorker(lifecycle: Lifecycle): Promise<void> {
  const config = loadConfig()
  openLog(config.logLevel)
  const { disposables, stopping } = lifecycle
  const target = config.isEmbedded ? await findDatabase(config, disposables) : await openStorage(config, lifecycle)
  const wakeHub = new WakeHub()
  const metrics = await openMetrics(config)
  const traces = await openTraces(config.traces, disposables)
  const context = await openContext(config, { target, disposables, wake: wakeHub.wake, metrics, traces })
  if (metrics) await publishMetrics(config, disposables, { metrics, contextOf: () => context })
  await waitForDatabase(target, stopping, () => checkDelivery(context))
  disposables.use(listenToNotifications(context, { wakeHub, target: config.directUrl ?? target }))
  disposables.use(startWorker(context, { wakeHub }))
  disposables.use(startMailing(context))
  const nats = await openNats(config, disposables)
  if (nats) disposables.use(startRelay(context, { wakeHub, publisher: nats.publisher }))
  logger.info({ pid: process.pid }, 'Webhook worker started')
}
