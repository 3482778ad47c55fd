import { DAY_MS } from '../../../time/durations.ts'
import type { Context } from '../../core/context.ts'
import { lowerBound } from '../../core/ids.ts'
import { EVERY_CHANNEL } from '../../core/live.ts'
import { AllReader } from './all-reader.ts'
import { CHANNEL_READ_MAX, type ChannelEvent, nextEvents } from './channel-events.ts'
import type { Line } from './line.ts'

const LINES_MAX = 100

type ReaderContext = Pick<Context, 'db' | 'now' | 'log'>

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

  async readChannels(changed: Set<Line>): Promise<void> {
    const lines = [...changed].filter(({ key }) => key !== EVERY_CHANNEL).slice(0, LINES_MAX)
    if (lines.length === 0) return
    for (const line of lines) changed.delete(line) // before it is read: a wake from now on counts again
    const begun = this.#ctx.now()
    try {
      const found = await nextEvents(this.#ctx.db, lines, dayBefore(this.#readAt))
      for (const line of lines) if (tell(line, found.get(line.key) ?? [])) changed.add(line)
    } catch (error) {
      for (const line of lines) changed.add(line)
      throw error
    }
    this.#readAt = begun
  }

  async readAll(changed: Set<Line>): Promise<void> {
    const line = [...changed].find(({ key }) => key === EVERY_CHANNEL)
    if (!line) return
    changed.delete(line)
    const begun = this.#ctx.now()
    try {
      if (await this.#all.read(line, dayBefore(this.#allReadAt))) changed.add(line)
    } catch (error) {
      changed.add(line)
      throw error
    }
    if (!this.#all.isHeldUp) this.#allReadAt = begun
  }
}

/** Whether there may be more. */
function tell(line: Line, events: readonly ChannelEvent[]): boolean {
  const last = events.at(-1)
  if (last) line.tell(events, last.place)
  return events.length === CHANNEL_READ_MAX
}

/** An identifier is made before its commit, and by the clock of another machine. */
const dayBefore = (readAt: Date) => lowerBound('event', new Date(readAt.getTime() - DAY_MS))
