import { DAY_MS } from '../../time/durations.ts'
import { lowerBound } from '../core/ids.ts'

/**
 * A bound of the identifiers of events that are read from a time on: it leaves out the partitions of earlier days. An identifier is
 * made before its commit, and by the clock of another machine.
 */
export const dayBefore = (at: Date): string => lowerBound('event', new Date(Math.max(0, at.getTime() - DAY_MS)))

/** For what is missing behind such a bound: whoever wrote it, or read before, had a clock that was wrong by more than that. */
export const ANY_TIME = ''
