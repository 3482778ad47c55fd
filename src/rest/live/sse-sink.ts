import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { PlacedEvent, StreamEnd } from '../../domain/core/live.ts'
import type { FeedCursor } from '../../domain/events/feed/cursor.ts'
import type { EventSink } from '../../domain/events/streams/event-stream.ts'
import { hasMuchUnsent } from '../../domain/events/streams/unsent-limit.ts'

/** Server-sent events (the HTML standard) as one of our two kinds of readers takes them. */
export type SseForm = {
  /** Streams with the same key show the same events alike, so that a frame is made once for all of them. */
  readonly key: string
  greeting(start: FeedCursor): string
  readonly beat: string
  frame(event: PlacedEvent): string
  progress(reached: FeedCursor): string
  /** Empty where nothing is said. */
  end(end: StreamEnd): string
}

/** What is unsent when a stream ends is kept so long for its reader, where it is much. */
const UNSENT_MS = 10_000

type Frame = { plain: Buffer; chunked: Buffer }

const frames = new WeakMap<readonly PlacedEvent[], Map<string, Frame>>()
const signs = new Map<string, Frame>()

/**
 * Writes events to a response whose head is sent. The bytes of a frame are made once, as a chunk of HTTP already, and go to the
 * socket past `ServerResponse`, which would cost more than all else per reader.
 */
export class SseSink implements EventSink {
  readonly #response: ServerResponse
  readonly #form: SseForm

  constructor(response: ServerResponse, form: SseForm) {
    this.#response = response
    this.#form = form
  }

  get form(): string {
    return this.#form.key
  }

  get unsentBytes(): number {
    return this.#response.socket?.writableLength ?? 0
  }

  begin(start: FeedCursor): void {
    this.#response.flushHeaders()
    this.#send(frameOf(this.#form.greeting(start)))
  }

  write(events: readonly PlacedEvent[]): void {
    const made = frames.get(events) ?? new Map<string, Frame>()
    if (made.size === 0) frames.set(events, made)
    const known = made.get(this.#form.key)
    const frame = known ?? frameOf(events.map((event) => this.#form.frame(event)).join(''))
    if (!known) made.set(this.#form.key, frame)
    this.#send(frame)
  }

  progress(reached: FeedCursor): void {
    this.#send(frameOf(this.#form.progress(reached)))
  }

  beat(): void {
    this.#send(signOf(this.#form.beat))
  }

  end(end: StreamEnd): void {
    if (end.isAtOnce) return void this.#response.destroy()
    const last = this.#form.end(end)
    if (last !== '') this.#send(frameOf(last))
    this.#response.end()
    if (hasMuchUnsent(this)) setTimeout(() => this.#response.socket?.destroy(), UNSENT_MS).unref()
  }

  async drained(): Promise<void> {
    const { socket } = this.#response
    if (!socket?.writableNeedDrain || socket.destroyed) return
    const decided = new AbortController()
    const { signal } = decided
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {})
    decided.abort() // takes the listeners of the other one away
  }

  #send({ plain, chunked }: Frame) {
    const { socket, chunkedEncoding, destroyed } = this.#response
    if (destroyed || !socket?.writable) return
    if (chunkedEncoding) socket.write(chunked)
    else this.#response.write(plain)
  }
}

/** One piece of memory for both forms: of history it is as large as what was read. */
function frameOf(text: string): Frame {
  const head = `${Buffer.byteLength(text).toString(16)}\r\n`
  const chunked = Buffer.from(`${head}${text}\r\n`)
  return { plain: chunked.subarray(head.length, -2), chunked }
}

/** For texts of which there are a few. */
function signOf(text: string): Frame {
  const known = signs.get(text)
  const frame = known ?? frameOf(text)
  if (!known) signs.set(text, frame)
  return frame
}
