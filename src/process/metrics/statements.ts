import type { PoolName } from '../../db/pools.ts'
import { type Logger, logger } from '../../telemetry/logger.ts'
import type { ProcessMetrics } from '../../telemetry/process-metrics.ts'
import type { Traces } from '../../telemetry/traces.ts'
import { DatabaseOutages } from './database-outages.ts'

/** From here on a statement is worth a line. The slow pool is for what takes its time. */
const SLOW_MS: Record<PoolName, number> = { fast: 500, replica: 500, slow: 5_000 }
/** When the database is slow, all statements are: some of them say as much as all. */
const LOG_EVERY_MS = 100
const SHOWN_LENGTH = 160

/** Statements that this process has asked and not yet heard of, by pool. */
export const statementsInFlight: Record<PoolName, number> = { fast: 0, slow: 0, replica: 0 }

let loggedAt = Number.NEGATIVE_INFINITY

type Watchers = { metrics?: ProcessMetrics | undefined; traces?: Traces | undefined; log?: Logger }

/**
 * Follows the statements of each pool: slow ones are logged by their text, never by their values; all are measured. They
 * also show when a database goes away and comes back.
 */
export function watchStatements({ metrics, traces, log = logger }: Watchers = {}) {
  const primary = new DatabaseOutages(log, 'primary')
  const contacts: Record<PoolName, DatabaseOutages> = {
    fast: primary,
    slow: primary,
    replica: new DatabaseOutages(log, 'replica'),
  }
  return (pool: PoolName) => (text: string) => {
    const begun = performance.now()
    statementsInFlight[pool]++
    const trace = traces?.statement(pool, shownOf(text))
    return (outcome?: unknown) => {
      statementsInFlight[pool]--
      const durationMs = performance.now() - begun
      metrics?.observeStatement(pool, durationMs / 1000)
      trace?.(outcome)
      contacts[pool].heard(outcome)
      if (durationMs >= SLOW_MS[pool])
        tellOfSlow(log, { pool, durationMs: Math.round(durationMs), statement: shownOf(text) })
    }
  }
}

function tellOfSlow(log: Logger, facts: { pool: PoolName; durationMs: number; statement: string }) {
  const now = performance.now()
  if (now - loggedAt < LOG_EVERY_MS) return
  loggedAt = now
  log.warn(facts, 'A statement was slow')
}

/** The beginning of a text on one line, without its comments; what it quotes might be a value. */
const shownOf = (text: string) =>
  text
    .replace(/'(?:[^']|'')*'|--.*/g, (part) => (part.startsWith('--') ? '' : "'…'"))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, SHOWN_LENGTH)
