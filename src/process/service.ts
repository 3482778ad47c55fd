import type { Config } from '../config.ts'
import type { Target } from '../db/client.ts'
import type { Context } from '../domain/core/context.ts'
import { Waker } from '../domain/events/wake-hub.ts'
import { checkDelivery } from '../domain/webhooks/worker/startup-check.ts'
import { Occupancy } from '../rest/http/load-limit.ts'
import { createHttpServer } from '../rest/http/server.ts'
import { logger } from '../telemetry/logger.ts'
import type { Traces } from '../telemetry/traces.ts'
import { startWorker } from './background/delivery.ts'
import { startUpkeep } from './background/maintenance.ts'
import { announceCommits, hearOthers } from './background/notifications.ts'
import { keepUsage } from './background/usage-flush.ts'
import { tellFigures } from './cluster/metrics.ts'
import { openContext } from './context.ts'
import type { Life } from './lifecycle.ts'
import { drain, listen } from './listen.ts'
import { type Meter, openMetrics, publishMetrics } from './metrics/metrics.ts'
import { openTraces } from './metrics/tracing.ts'
import { whenReachable } from './wait-for-database.ts'

export type ServiceOptions = {
  /** The database, once it is migrated. */
  findTarget: () => Promise<Target>
  /** One of several: another process counts for this one. */
  isMember?: boolean
  /** Whether to answer 503 before the database is there. */
  listensFirst?: boolean
}

/**
 * Listens and answers 503 until the database is there, then serves and delivers. Resolves when it is ready. When it
 * stops, requests and attempts end side by side, before the database may go.
 */
export async function openService(config: Config, life: Life, options: ServiceOptions): Promise<void> {
  const { findTarget, isMember = false, listensFirst = true } = options
  let ready: Context | undefined
  const contextOf = () => ready
  const traces = await openTraces(config, life.opened)
  const { server, metrics } = await createServer(config, contextOf, traces)
  if (metrics) await publish(config, life, isMember, { metrics, contextOf })
  if (listensFirst) await listen(server, config)
  life.opened.defer(() => drain(server, config))

  const target = await findTarget()
  const waker = new Waker()
  const { opened, stopping } = life
  const { wake, onWake } = waker
  const context = await openContext(config, { target, opened, wake, onWake, stopping, isMember, metrics, traces })
  life.opened.use(hearOthers(context, { waker, target: config.directUrl ?? target }))
  life.opened.use(keepUsage(context))
  await whenReachable(target, stopping, () => checkDelivery(context))
  ready = context
  if (!listensFirst) await listen(server, config)
  const stopDelivering = startDelivering(context, config, waker)
  life.opened.defer(() => Promise.all([drain(server, config), stopDelivering()]))
}

async function createServer(config: Config, contextOf: () => Context | undefined, traces: Traces | undefined) {
  const { publicUrl, trustedProxies: trustProxy } = config
  const occupancy = new Occupancy()
  const metrics = await openMetrics(config, occupancy)
  const measure = metrics?.observeRequest.bind(metrics)
  const options = { contextOf, log: logger, publicUrl, trustProxy, measure, traces, occupancy }
  return { metrics, server: createHttpServer(options) }
}

/** Of several processes the first one serves the figures of all. */
async function publish(config: Config, { opened }: Life, isMember: boolean, meter: Meter): Promise<void> {
  if (!isMember) return publishMetrics(config, opened, meter)
  tellFigures(meter)
}

function startDelivering(context: Context, config: Config, waker: Waker): () => Promise<void> {
  const upkeep = startUpkeep(context)
  const announcement = announceCommits(context, waker)
  const worker = config.hasWorker ? startWorker(context, { waker }) : undefined
  return async () => {
    await upkeep[Symbol.asyncDispose]()
    await worker?.[Symbol.asyncDispose]()
    announcement[Symbol.dispose]()
  }
}
