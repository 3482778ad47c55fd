import type { Socket } from 'node:net'
import { AttemptFailure } from './attempt-failure.ts'
import type { Connector } from './connector.ts'

export const HEAD_BYTES_MAX = 16_384
const BEGINNING_BYTES = 100
const EMPTY: Buffer = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'
const VERSION = 'HTTP/1.'
const STATUS_END = 'HTTP/1.1 100'.length
const INFORMATIONAL = /^HTTP\/1\.[01] 1(?!01)\d\d/
const FOLDS = /\r\n[ \t]+/g
const LINE_END = /(?:\r|\r\n|\r\n\r)$/

/** How the response began of which a parser said that it is none. */
const beginnings = new WeakMap<Error, Buffer>()

/** The first bytes of the response that a parser refused with this error, if that was a parser. */
export const beginningBefore = (error: Error): Buffer | undefined => beginnings.get(error)

/**
 * Connects as `connect` does, and has undici read what it refuses and a client must take: an informational response that nobody
 * asked for is read over (RFC 9110, section 15.2), and a header that goes on in the next line is one line (RFC 9112,
 * section 5.2).
 */
export function readingHeads(connect: Connector): Connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      attach(new ResponseHeads(), socket)
      return callback(null, socket)
    })
}

/** A request is written before anything of its response is read, as nothing is sent ahead. */
function attach(heads: ResponseHeads, socket: Socket) {
  const { read, write } = socket
  socket.write = (...given: unknown[]) => {
    heads.expect()
    return Reflect.apply(write, socket, given)
  }
  const readOnce = (size?: number): Buffer | null => read.call(socket, size)
  socket.read = (size?: number) => {
    let passed: Buffer | null = EMPTY
    while (passed?.length === 0) passed = through(heads, socket, readOnce(size))
    return passed
  }
  socket.on('error', (error) => beginnings.set(error, heads.beginning))
}

function through(heads: ResponseHeads, socket: Socket, chunk: Buffer | null): Buffer | null {
  const passed = chunk && heads.pass(chunk)
  if (!heads.isTooLarge) return passed
  socket.destroy(new AttemptFailure('E_HEAD_TOO_LARGE', 'the informational responses are too large'))
  return null
}

/** The bytes of one connection's responses on their way to the parser. All but the heads of responses pass untouched. */
class ResponseHeads {
  /** The first bytes of the present response. */
  beginning: Buffer = EMPTY
  #part: 'status' | 'informational' | 'head' | 'body' = 'body'
  #held: Buffer = EMPTY
  #informationalBytes = 0

  /** A request was sent: what is read next is the head of its response. */
  expect() {
    if (this.#part === 'body') this.beginning = EMPTY
    this.#part = 'status'
    this.#informationalBytes = 0
  }

  get isTooLarge(): boolean {
    return this.#informationalBytes > HEAD_BYTES_MAX
  }

  /** What of the bytes that were read goes on to the parser now. */
  pass(chunk: Buffer): Buffer {
    if (this.#part === 'body') return chunk
    if (this.beginning.length < BEGINNING_BYTES)
      this.beginning = Buffer.concat([this.beginning, chunk]).subarray(0, BEGINNING_BYTES)
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = EMPTY
    while (bytes.length > 0) {
      if (this.#part === 'status' && !this.#knowsStatus(bytes)) return EMPTY
      if (this.#part === 'head') return this.#unfolded(bytes)
      bytes = this.#afterInformational(bytes)
    }
    return EMPTY
  }

  #knowsStatus(bytes: Buffer): boolean {
    const start = bytes.toString('latin1', 0, STATUS_END)
    if (start.length < STATUS_END && VERSION.startsWith(start.slice(0, VERSION.length))) {
      this.#held = bytes
      return false
    }
    this.#part = INFORMATIONAL.test(start) ? 'informational' : 'head'
    return true
  }

  #afterInformational(bytes: Buffer): Buffer {
    const end = bytes.indexOf(HEAD_END)
    const after = end === -1 ? EMPTY : bytes.subarray(end + HEAD_END.length)
    this.#informationalBytes += bytes.length - after.length
    if (end === -1) this.#held = bytes.subarray(1 - HEAD_END.length)
    else this.#part = 'status'
    return after
  }

  #unfolded(bytes: Buffer): Buffer {
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) return unfold(this.#withoutLineEnd(bytes))
    this.#part = 'body'
    const head = bytes.subarray(0, end)
    const unfolded = unfold(head)
    return unfolded === head ? bytes : Buffer.concat([unfolded, bytes.subarray(end)])
  }

  /** Whether a line goes on is known once the first byte of the next one is there: until then its end is held back. */
  #withoutLineEnd(bytes: Buffer): Buffer {
    const at = LINE_END.exec(bytes.toString('latin1'))?.index ?? bytes.length
    this.#held = bytes.subarray(at)
    return bytes.subarray(0, at)
  }
}

function unfold(head: Buffer): Buffer {
  const text = head.toString('latin1')
  const unfolded = text.replace(FOLDS, ' ')
  return unfolded === text ? head : Buffer.from(unfolded, 'latin1')
}
