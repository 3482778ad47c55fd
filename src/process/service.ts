import type { Config } from '../config.ts'
import type { DatabaseTarget } from '../db/client.ts'
import type { Context } from '../domain/core/context.ts'
import { WakeHub } from '../domain/events/wake-hub.ts'
import { checkDelivery } from '../domain/webhooks/worker/startup-check.ts'
import { LoadLimit } from '../rest/http/load-limit.ts'
import { createHttpServer } from '../rest/http/server.ts'
import { logger } from '../telemetry/logger.ts'
import type { Traces } from '../telemetry/traces.ts'
import { startWorker } from './background/delivery.ts'
import { startMaintenance } from './background/maintenance.ts'
import { listenToNotifications, notifyCommits } from './background/notifications.ts'
import { startUsageFlush } from './background/usage-flush.ts'
import { sendMetrics } from './cluster/metrics.ts'
import { openContext } from './context.ts'
import type { Lifecycle } from './lifecycle.ts'
import { drain, listenHttp } from './listen.ts'
import { type MetricsSource, openMetrics, publishMetrics } from './metrics/metrics.ts'
import { openTraces } from './metrics/tracing.ts'
import { waitForDatabase } from './wait-for-database.ts'

export type ServiceOptions = {
  /** The database, once it is migrated. */
  findTarget: () => Promise<DatabaseTarget>
  /** One of several: another process counts for this one. */
  isMember?: boolean
  /** Whether to answer 503 before the database is there. */
  listensFirst?: boolean
}

/**
 * Listens and answers 503 until the database is there, then serves and delivers. Resolves when it is ready. When it
 * stops, requests and attempts end side by side, before the database may go.
 */
export async function openService(config: Config, life: Lifecycle, options: ServiceOptions): Promise<void> {
  const { findTarget, isMember = false, listensFirst = true } = options
  let ready: Context | undefined
  const contextOf = () => ready
  const traces = await openTraces(config, life.opened)
  const { server, metrics } = await createServer(config, contextOf, traces)
  if (metrics) await publish(config, life, isMember, { metrics, contextOf })
  if (listensFirst) await listenHttp(server, config)
  life.opened.defer(() => drain(server, config))

  const target = await findTarget()
  const waker = new WakeHub()
  const { opened, stopping } = life
  const { wake, onWake } = waker
  const context = await openContext(config, { target, opened, wake, onWake, stopping, isMember, metrics, traces })
  life.opened.use(listenToNotifications(context, { waker, target: config.directUrl ?? target }))
  life.opened.use(startUsageFlush(context))
  await waitForDatabase(target, stopping, () => checkDelivery(context))
  ready = context
  if (!listensFirst) await listenHttp(server, config)
  const stopDelivering = startDelivering(context, config, waker)
  life.opened.defer(() => Promise.all([drain(server, config), stopDelivering()]))
}

async function createServer(config: Config, contextOf: () => Context | undefined, traces: Traces | undefined) {
  const { publicUrl, trustedProxies: trustProxy } = config
  const occupancy = new LoadLimit()
  const metrics = await openMetrics(config, occupancy)
  const measure = metrics?.observeRequest.bind(metrics)
  const options = { contextOf, log: logger, publicUrl, trustProxy, measure, traces, occupancy }
  return { metrics, server: createHttpServer(options) }
}

/** Of several processes the first one serves the figures of all. */
async function publish(config: Config, { opened }: Lifecycle, isMember: boolean, meter: MetricsSource): Promise<void> {
  if (!isMember) return publishMetrics(config, opened, meter)
  sendMetrics(meter)
}

function startDelivering(context: Context, config: Config, waker: WakeHub): () => Promise<void> {
  const upkeep = startMaintenance(context)
  const announcement = notifyCommits(context, waker)
  const worker = config.hasWorker ? startWorker(context, { waker }) : undefined
  return async () => {
    await upkeep[Symbol.asyncDispose]()
    await worker?.[Symbol.asyncDispose]()
    announcement[Symbol.dispose]()
  }
}
