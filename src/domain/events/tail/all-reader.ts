import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import type { Context } from '../../core/context.ts'
import { ANY_TIME } from '../id-bounds.ts'
import type { Line } from './line.ts'
import { ALL_READ_MAX, selectPlaces, selectPositions } from './positions.ts'
import { untilWritten } from './writers.ts'

/** After so long an operator is told who is waited for. */
const LONG_MS = 5_000

/**
 * Reads the line of all channels. It is told up to the first position that is missing: that was taken by a transaction which has
 * not ended yet, or which has failed. It is waited for as long as it takes, so that nothing is ever passed over.
 */
export class AllReader {
  readonly #db: Context['db']
  readonly #onSettled: () => void
  readonly #edge: EdgeLogger
  #settledUpTo = 0
  #isSettling = false
  #isStopped = false
  /** While a position is missing, only places are read: the events behind it would be read again and again. */
  #isGap = false

  /** `onSettled` is called when there may be more to read behind a position that was missing. */
  constructor({ db, log }: Pick<Context, 'db' | 'log'>, onSettled: () => void) {
    this.#db = db
    this.#onSettled = onSettled
    this.#edge = new EdgeLogger(log, {
      down: 'Events of all channels wait for a transaction that has written one and does not end',
      up: 'Events of all channels go on',
    })
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Whether a position is missing behind which there are events, as old as that may become. */
  get isHeldUp(): boolean {
    return this.#isGap
  }

  /**
   * Tells what is new and resolves to whether there is more. `from` leaves out the partitions of earlier days, but not where a
   * position is missing: whoever took it may have a wrong clock.
   */
  async read(line: Line, from: string): Promise<boolean> {
    const settledUpTo = this.#settledUpTo // before anything is read: what was read before says nothing of what is settled since
    if (this.#isGap && !(await this.#isFilled(line.place, settledUpTo))) return false
    const mayBePassed = this.#isGap || line.place < settledUpTo
    const rows = await selectPositions(this.#db, line.place, mayBePassed ? ANY_TIME : from)
    const end = completeUpTo(line.place, rows, settledUpTo)
    const last = rows.at(-1)?.place ?? end
    const told = rows.filter(({ place, sequence }) => place <= end && sequence > 0)
    line.tell(told, end)
    this.#isGap = end < last
    if (this.#isGap) void this.#settle(last)
    return !this.#isGap && rows.length === ALL_READ_MAX
  }

  async #isFilled(begin: number, settledUpTo: number): Promise<boolean> {
    const places = await selectPlaces(this.#db, begin)
    const last = places.at(-1)?.place ?? begin
    if (completeUpTo(begin, places, settledUpTo) > begin) return true
    void this.#settle(last)
    return last === begin
  }

  async #settle(position: number) {
    if (this.#isSettling || this.#isStopped) return
    this.#isSettling = true
    try {
      const isSettled = await untilWritten(this.#db, (pids, waitedMs) => this.#goesOn(pids, waitedMs))
      if (isSettled) this.#settledUpTo = position
      this.#edge.up()
    } catch {
      // the next read finds the same gap
    } finally {
      this.#isSettling = false
      this.#onSettled()
    }
  }

  #goesOn(pids: readonly number[], waitedMs: number): boolean {
    if (waitedMs > LONG_MS) this.#edge.down({ pids })
    return !this.#isStopped
  }
}

/** The last place before the first that is missing, where it is not settled that nothing comes there any more. */
function completeUpTo(begin: number, rows: readonly { place: number }[], settledUpTo: number): number {
  let end = begin
  for (const { place } of rows) {
    if (place > end + 1 && place > settledUpTo) break
    end = place
  }
  return end
}
