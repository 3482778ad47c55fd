import type { Context } from '../../core/context.ts'
import { EVERY_CHANNEL } from '../../core/live.ts'
import { ANY_TIME, dayBefore } from '../id-bounds.ts'
import { AllReader } from './all-reader.ts'
import { CHANNEL_READ_MAX, type ChannelEvent, nextEvents } from './channel-events.ts'
import type { Line } from './line.ts'

const LINES_MAX = 100

type ReaderContext = Pick<Context, 'db' | 'now' | 'log'>

/** Lines that have events, or may have, of which nobody has told; with the places up to which they do. */
export type Behind = Map<Line, number>

/** Tells lines that have changed what is new. It takes them out of their set, and back where there is more or the reading fails. */
export class LineReader {
  readonly #ctx: ReaderContext
  readonly #all: AllReader
  #readAt: Date
  #allReadAt: Date

  /** `onSettled` is called when the line of all channels is to be read again. */
  constructor(ctx: ReaderContext, onSettled: () => void) {
    this.#ctx = ctx
    this.#all = new AllReader(ctx, onSettled)
    this.#readAt = ctx.now()
    this.#allReadAt = this.#readAt
  }

  /** To be called when the first line is held: it begins at present. */
  beginNow(): void {
    this.#readAt = this.#ctx.now()
    this.#allReadAt = this.#readAt
  }

  stop(): void {
    this.#all.stop()
  }

  async readChannels(changed: Set<Line>, behind: Behind): Promise<void> {
    const lines = [...changed].filter(({ key }) => key !== EVERY_CHANNEL).slice(0, LINES_MAX)
    if (lines.length === 0) return
    for (const line of lines) changed.delete(line) // before it is read: a wake from now on counts again
    const known = takenFrom(behind, lines)
    const begun = this.#ctx.now()
    try {
      const found = await nextEvents(this.#ctx.db, lines, { from: dayBefore(this.#readAt), known })
      for (const line of lines) if (tell(line, found.get(line.key) ?? [])) changed.add(line)
    } catch (error) {
      for (const line of lines) changed.add(line)
      putBack(behind, known)
      throw error
    }
    this.#readAt = begun
  }

  async readAll(changed: Set<Line>, behind: Behind): Promise<void> {
    const line = [...changed].find(({ key }) => key === EVERY_CHANNEL)
    if (!line) return
    changed.delete(line)
    const known = takenFrom(behind, [line])
    const begun = this.#ctx.now()
    try {
      const from = known.has(line) ? ANY_TIME : dayBefore(this.#allReadAt)
      if (await this.#all.read(line, from)) changed.add(line)
    } catch (error) {
      changed.add(line)
      putBack(behind, known)
      throw error
    }
    if (!this.#all.isHeldUp) this.#allReadAt = begun
  }
}

function takenFrom(behind: Behind, lines: readonly Line[]): Behind {
  const taken: Behind = new Map()
  for (const line of lines) {
    const upTo = behind.get(line)
    if (behind.delete(line) && upTo !== undefined) taken.set(line, upTo)
  }
  return taken
}

function putBack(behind: Behind, taken: Behind) {
  for (const [line, upTo] of taken) behind.set(line, upTo)
}

/** Whether there may be more. */
function tell(line: Line, events: readonly ChannelEvent[]): boolean {
  const last = events.at(-1)
  if (last) line.tell(events, last.place)
  return events.length === CHANNEL_READ_MAX
}
