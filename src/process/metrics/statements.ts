import type { PoolName, PoolOptions } from '../../db/pools.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import { type Logger, logger } from '../../telemetry/logger.ts'
import type { ProcessMetrics } from '../../telemetry/process-metrics.ts'
import type { Traces } from '../../telemetry/traces.ts'
import { DatabaseOutages } from './database-outages.ts'

/** Statements that take longer are logged. The slow pool is for long ones. */
const SLOW_MS: Record<PoolName, number> = { fast: 500, replica: 500, slow: 5_000 }
/** When the database is slow, so are all statements: a sample of them says enough. */
const LOG_EVERY_MS = 100
const TEXT_LENGTH_MAX = 160

/** Statements of this process that are not answered yet, by pool. */
export const statementsInFlight: Record<PoolName, number> = { fast: 0, slow: 0, replica: 0 }

/** Texts of statements of which no more are sent, because they hold their share of the pool. */
export let textsBarred = 0

let loggedAt = Number.NEGATIVE_INFINITY

type Watchers = { metrics?: ProcessMetrics | undefined; traces?: Traces | undefined; log?: Logger }

/**
 * Observes the statements of each pool: all are measured and traced, slow ones are logged with their text but never with
 * values, and lost and restored connections are logged.
 */
export function watchStatements({
  metrics,
  traces,
  log = logger,
}: Watchers = {}): Required<Pick<PoolOptions, 'watch' | 'onFailure'>> {
  const primary = new DatabaseOutages(log, 'primary')
  const outages: Record<PoolName, DatabaseOutages> = {
    fast: primary,
    slow: primary,
    replica: new DatabaseOutages(log, 'replica'),
  }
  const watch = (pool: PoolName) => (text: string) => {
    const begun = performance.now()
    statementsInFlight[pool]++
    const trace = traces?.statement(pool, redactedText(text))
    return (outcome?: unknown) => {
      statementsInFlight[pool]--
      const durationMs = performance.now() - begun
      metrics?.observeStatement(pool, durationMs / 1000)
      trace?.(outcome)
      outages[pool].observe(outcome)
      if (durationMs >= SLOW_MS[pool])
        logSlow(log, { pool, durationMs: Math.round(durationMs), statement: redactedText(text) })
    }
  }
  return { watch, onFailure: (pool, reason) => outages[pool].observe(reason) }
}

/** Logs which statements hold their share of the connections when that begins, and when it has ended; it counts them, too. */
export function watchBulkhead(log: Logger = logger) {
  const edge = new EdgeLogger(log, {
    down: 'Statements hold their share of the connections: others like them are refused',
    up: 'Statements are no longer refused',
  })
  return (texts: readonly string[]) => {
    textsBarred = texts.length
    if (texts.length === 0) edge.up()
    else edge.down({ statements: texts.map(redactedText) })
  }
}

function logSlow(log: Logger, facts: { pool: PoolName; durationMs: number; statement: string }) {
  const now = performance.now()
  if (now - loggedAt < LOG_EVERY_MS) return
  loggedAt = now
  log.warn(facts, 'Slow statement')
}

/** The beginning of the text on one line, without comments and without literals, which may be somebody's data. */
const redactedText = (text: string) =>
  text
    .replace(/'(?:[^']|'')*'|--.*/g, (part) => (part.startsWith('--') ? '' : "'…'"))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_LENGTH_MAX)
