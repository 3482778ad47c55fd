import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type Counters, memoryCounters, unlimitedCounters } from '../counters/counters.ts'
import { clusterCounters, redisCounters } from '../counters/shared-counters.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { openPools } from '../db/pools.ts'
import { CredentialCache } from '../domain/access/credential-cache.ts'
import type { Context } from '../domain/core/context.ts'
import type { StreamLimit } from '../domain/core/live.ts'
import type { EventSource } from '../domain/core/relayed.ts'
import { ProcessStreams } from '../domain/events/streams/process-streams.ts'
import { SharedStreamLimit, unlimitedStreams } from '../domain/events/streams/shared-stream-limit.ts'
import { ProcessTail } from '../domain/events/tail/process-tail.ts'
import { ClientDocuments } from '../domain/oauth/client/client-documents.ts'
import { RequestLogBuffer } from '../domain/requests/request-log.ts'
import { UsageCounts } from '../domain/usage/counts.ts'
import { openMailTransport } from '../mail/mail-transport.ts'
import { logger } from '../telemetry/logger.ts'
import type { ProcessMetrics } from '../telemetry/process-metrics.ts'
import type { Traces } from '../telemetry/traces.ts'
import type { Disposables } from './disposables.ts'
import { openKeyring } from './keyring.ts'
import { watchBulkhead, watchStatements } from './metrics/statements.ts'

export type ContextConfig = CountersConfig &
  Pick<
    Config,
    | 'replicaUrl'
    | 'pooler'
    | 'secretKeys'
    | 'dataDir'
    | 'publicUrl'
    | 'smtpUrl'
    | 'mailFrom'
    | 'targets'
    | 'cronAccess'
    | 'signup'
    | 'readsClientDocuments'
    | 'ingest'
    | 'pictures'
    | 'secondFactor'
    | 'hasStreamLimits'
  >

type CountersConfig = Pick<Config, 'hasRateLimits' | 'redisUrl'>

export type ContextOptions = {
  target: DatabaseTarget
  disposables: Disposables
  wake: Context['wake']
  /** For processes in which calls wait for events. */
  onWake?: Context['onWake']
  /** Brings events to these calls, where there is a broker. */
  events?: EventSource | undefined
  stopping?: AbortSignal
  /** Whether this is a worker process of a cluster, whose primary counts for it. */
  isMember?: boolean
  demoClientId?: string | undefined
  metrics?: ProcessMetrics | undefined
  traces?: Traces | undefined
}

/** The context as the process itself uses it: it also switches the cache on and off, and stores what was counted and noted. */
export type ProcessContext = Context & { credentials: CredentialCache; usage: UsageCounts; requests: RequestLogBuffer }

/** Everything that verbs need, over a database that is ready. Its connections close with `disposables`. */
export async function openContext(
  config: ContextConfig,
  { target, disposables, wake, isMember = false, demoClientId, metrics, traces, ...waiting }: ContextOptions,
): Promise<ProcessContext> {
  const { replicaUrl, pooler } = config
  const watchers = { ...watchStatements({ metrics, traces }), onBulkhead: watchBulkhead() }
  const pools = openPools(target, { replica: replicaUrl, pooler, ...watchers })
  const { db, slow, replica } = disposables.use(pools)
  const now = () => new Date()
  const { onWake = () => () => {}, stopping = new AbortController().signal } = waiting
  const credentials = new CredentialCache()
  return {
    db,
    slow,
    replica,
    now,
    wake,
    onWake,
    tail: disposables.use(new ProcessTail({ db, now, onWake, log: logger }, waiting.events)),
    streams: new ProcessStreams({ db, credentials, stopping, log: logger }),
    streamLimit: openStreamLimit(config, db, disposables),
    stopping,
    keyring: openKeyring(config),
    counters: await openCounters(config, disposables, isMember),
    credentials,
    usage: new UsageCounts(now),
    requests: new RequestLogBuffer(now),
    publicUrl: config.publicUrl,
    mailTransport: disposables.use(openMailTransport(config)),
    targets: config.targets,
    cronAccess: config.cronAccess,
    signup: config.signup,
    clientDocuments: config.readsClientDocuments ? new ClientDocuments(config.targets) : undefined,
    ingest: config.ingest,
    thumbnails: await openPictureStorage(config),
    secondFactor: config.secondFactor,
    demoClientId,
    log: logger,
    traces,
  }
}

function openStreamLimit({ hasStreamLimits }: ContextConfig, db: Context['db'], disposables: Disposables): StreamLimit {
  return hasStreamLimits ? disposables.use(new SharedStreamLimit({ db, log: logger })) : unlimitedStreams
}

/** Where pictures are kept, where they are taken. */
async function openPictureStorage({ pictures, dataDir }: ContextConfig): Promise<Context['thumbnails']> {
  if (pictures === undefined) return undefined
  const { folderStorage, s3Storage } = await import('../domain/ingest/thumbnails/storage.ts')
  return pictures.storeUrl === undefined ? folderStorage(join(dataDir, 'thumbnails')) : s3Storage(pictures.storeUrl)
}

/** Counts in Redis where there is one, else in the primary of a cluster, else in this process. */
async function openCounters(
  { hasRateLimits, redisUrl }: CountersConfig,
  disposables: Disposables,
  isMember: boolean,
): Promise<Counters> {
  if (!hasRateLimits) return unlimitedCounters
  if (redisUrl) return disposables.use(await redisCounters(redisUrl))
  return isMember ? clusterCounters() : memoryCounters()
}
