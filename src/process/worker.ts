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

/** Delivers webhooks without serving requests: beside a running service, or with a database of its own. */
export async function startStandaloneWorker(life: Lifecycle): Promise<void> {
  const config = loadConfig()
  openLog(config.logLevel)
  const { opened } = life
  const target = config.isEmbedded ? await findDatabase(config, opened) : await openStorage(config, life)
  const waker = new WakeHub()
  const metrics = await openMetrics(config)
  const traces = await openTraces(config, opened)
  const context = await openContext(config, { target, opened, wake: waker.wake, metrics, traces })
  if (metrics) await publishMetrics(config, opened, { metrics, contextOf: () => context })
  await waitForDatabase(target, life.stopping, () => checkDelivery(context))
  opened.use(listenToNotifications(context, { waker, target: config.directUrl ?? target }))
  opened.use(startWorker(context, { waker }))
  logger.info({ pid: process.pid }, 'The worker delivers')
}
