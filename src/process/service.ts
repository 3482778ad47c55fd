import type { Config } from '../config.ts'
import type { Context } from '../domain/core/context.ts'
import { WakeHub } from '../domain/events/wake-hub.ts'
import { prepareSigningKey } from '../domain/oauth/openid/signing-keys.ts'
import { checkDelivery } from '../domain/webhooks/worker/startup-check.ts'
import { LoadLimit } from '../rest/http/load-limit.ts'
import { limitedOperations } from '../rest/http/request-record.ts'
import { createHttpServer } from '../rest/http/server.ts'
import { PublishedDocuments } from '../rest/pages/documents.ts'
import { logger } from '../telemetry/logger.ts'
import type { ProcessMetrics } from '../telemetry/process-metrics.ts'
import type { Traces } from '../telemetry/traces.ts'
import { startWorker } from './background/delivery.ts'
import { startMailing } from './background/mailing.ts'
import { startMaintenance } from './background/maintenance.ts'
import { listenToNotifications, notifyCommits } from './background/notifications.ts'
import { openNats, startRelay } from './background/relay.ts'
import { startRequestLogFlush } from './background/request-log-flush.ts'
import { startUsageFlush } from './background/usage-flush.ts'
import { sendMetrics } from './cluster/metrics.ts'
import { openContext } from './context.ts'
import { demoIn } from './demo-file.ts'
import { Disposables } from './disposables.ts'
import type { Lifecycle } from './lifecycle.ts'
import { beginListening, drain } from './listen.ts'
import { openMetrics, publishMetrics } from './metrics/metrics.ts'
import { openTraces } from './metrics/tracing.ts'
import type { PreparedStorage } from './storage.ts'
import { waitForDatabase } from './wait-for-database.ts'

export type ServiceOptions = {
  /** Opens the database, which closes with the lifecycle that it is given. */
  openStorage: (lifecycle: Lifecycle) => Promise<PreparedStorage>
  /** Whether this is a worker process of a cluster, whose primary counts and publishes metrics for it. */
  isMember?: boolean
  /** Whether to answer 503 while the database is not ready, instead of not listening yet. */
  listensFirst?: boolean
}

/**
 * Starts the service: traces, metrics, HTTP (503 at first; behind a proxy, not before it can answer or 20 s have passed), documents,
 * database, context, notifications, usage, HTTP (200), deliveries.
 * It stops in the reverse order, except that requests and deliveries end first and together, because they need all the rest.
 */
export async function openService(config: Config, lifecycle: Lifecycle, given: ServiceOptions) {
  const { openStorage, isMember = false, listensFirst = true } = given
  const { disposables, stopping } = lifecycle
  let ready: Context | undefined
  const contextOf = () => ready

  const traces = await openTraces(config.traces, disposables)
  const loadLimit = new LoadLimit()
  const metrics = await openMetrics(config, loadLimit)
  metrics?.beginAtZero(limitedOperations)
  if (metrics && isMember) sendMetrics({ metrics, contextOf })
  else if (metrics) await publishMetrics(config, disposables, { metrics, contextOf })

  const documents = new PublishedDocuments(config.publicUrl)
  const server = createServer(config, { contextOf, loadLimit, metrics, traces, documents })
  const listen = await beginListening(server, config, { ...lifecycle, isMember, listensFirst })
  const backend = disposables.use(new Disposables())
  const deliveries = new Disposables()
  const stopDelivering = () => deliveries[Symbol.asyncDispose]()
  disposables.deferTogether(() => drain(server, config), stopDelivering)
  await documents.make()

  const storage = await openStorage({ ...lifecycle, disposables: backend })
  const { target } = storage
  const wakeHub = new WakeHub()
  const { wake, onWake } = wakeHub
  const nats = await openNats(config, backend)
  const options = {
    target,
    disposables: backend,
    wake,
    onWake,
    stopping,
    isMember,
    demoClientId: demoIn(config)?.public_client.client_id,
    metrics,
    traces,
    events: nats?.source,
  }
  const context = await openContext(config, options)
  backend.use(listenToNotifications(context, { wakeHub, target: config.directUrl ?? target }))
  backend.use(startUsageFlush(context))
  backend.use(startRequestLogFlush(context))
  await waitForDatabase(target, stopping, () => checkDelivery(context))
  await waitForDatabase(target, stopping, () => prepareSigningKey(context))
  ready = context
  await listen()

  deliveries.use(notifyCommits(context, wakeHub))
  if (config.hasWorker) deliveries.use(startWorker(context, { wakeHub }))
  if (config.hasWorker) deliveries.use(startMailing(context))
  if (config.hasWorker && nats) deliveries.use(startRelay(context, { wakeHub, publisher: nats.publisher }))
  await openEncoders(context, config, deliveries)
  deliveries.use(startMaintenance(context))
  return storage
}

/** What encoders need is loaded only where they are let in. */
async function openEncoders(context: Context, config: Config, opened: Disposables): Promise<void> {
  const { ingestPort, pictures } = config
  if (ingestPort === undefined) return
  const { openIngest } = await import('./background/ingest.ts')
  opened.use(await openIngest(context, { ...config, ingestPort }))
  if (pictures === undefined) return
  const { startPictures } = await import('./background/pictures.ts')
  opened.use(startPictures(context, pictures))
}

type ServerParts = {
  contextOf: () => Context | undefined
  loadLimit: LoadLimit
  metrics: ProcessMetrics | undefined
  traces: Traces | undefined
  documents: PublishedDocuments
}

function createServer(
  { publicUrl, trustedProxies: trustProxy }: Pick<Config, 'publicUrl' | 'trustedProxies'>,
  { metrics, ...parts }: ServerParts,
) {
  const measure = metrics?.observeRequest.bind(metrics)
  return createHttpServer({ ...parts, log: logger, publicUrl, trustProxy, measure })
}
