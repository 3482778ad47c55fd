import type { Config } from '../config.ts'
import { type Counters, memoryCounters, unlimitedCounters } from '../counters/counters.ts'
import { clusterCounters, redisCounters } from '../counters/shared-counters.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { openPools } from '../db/pools.ts'
import { CredentialCache } from '../domain/access/credential-cache.ts'
import type { Context } from '../domain/core/context.ts'
import { UsageCounts } from '../domain/usage/counts.ts'
import { logger } from '../telemetry/logger.ts'
import type { ProcessMetrics } from '../telemetry/process-metrics.ts'
import type { Traces } from '../telemetry/traces.ts'
import type { Disposables } from './disposables.ts'
import { openKeyring } from './keyring.ts'
import { watchStatements } from './metrics/statements.ts'

export type ContextOptions = {
  target: DatabaseTarget
  opened: Disposables
  wake: () => void
  /** For processes in which calls wait for events. */
  onWake?: Context['onWake']
  stopping?: AbortSignal
  /** One of several: another process counts for this one. */
  isMember?: boolean
  metrics?: ProcessMetrics | undefined
  traces?: Traces | undefined
}

/** What the process itself asks more of than verbs may: it says when the cache is trusted, and writes the counts down. */
export type ProcessContext = Context & { credentials: CredentialCache; usage: UsageCounts }

/** Everything that verbs need, over a database that is ready. Its pools close with `opened`. */
export async function openContext(
  config: Config,
  { target, opened, wake, isMember = false, metrics, traces, ...waiting }: ContextOptions,
): Promise<ProcessContext> {
  const { replicaUrl, pooler } = config
  const pools = openPools(target, { replica: replicaUrl, pooler, watch: watchStatements({ metrics, traces }) })
  const { db, slow, replica } = opened.use(pools)
  return {
    db,
    slow,
    replica,
    now: () => new Date(),
    wake,
    onWake: waiting.onWake ?? (() => () => {}),
    stopping: waiting.stopping ?? new AbortController().signal,
    keyring: openKeyring(config),
    counters: await openCounters(config, opened, isMember),
    credentials: new CredentialCache(),
    usage: new UsageCounts(() => new Date()),
    publicUrl: config.publicUrl,
    targets: config.targets,
    cronSecret: config.cronSecret,
    signup: config.signup,
    log: logger,
    traces,
  }
}

/** Redis counts for every process; else the first process of a cluster; else this one. */
async function openCounters(
  { hasRateLimits, redisUrl }: Config,
  opened: Disposables,
  isMember: boolean,
): Promise<Counters> {
  if (!hasRateLimits) return unlimitedCounters
  if (redisUrl) return opened.use(await redisCounters(redisUrl))
  return isMember ? clusterCounters() : memoryCounters()
}
