import { loadConfig } from '../config.ts'
import { WakeHub } from '../domain/events/wake-hub.ts'
import { checkDelivery } from '../domain/webhooks/worker/startup-check.ts'
import { logger, openLog } from '../telemetry/logger.ts'
import { startWorker } from './background/delivery.ts'
import { listenToNotifications } from './background/notifications.ts'
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
  const waker = new WakeHub()
  const metrics = await openMetrics(config)
  const traces = await openTraces(config.traces, disposables)
  const context = await openContext(config, { target, disposables, wake: waker.wake, metrics, traces })
  if (metrics) await publishMetrics(config, disposables, { metrics, contextOf: () => context })
  await waitForDatabase(target, stopping, () => checkDelivery(context))
  disposables.use(listenToNotifications(context, { waker, target: config.directUrl ?? target }))
  disposables.use(startWorker(context, { waker }))
  logger.info({ pid: process.pid }, 'Webhook worker started')
}
