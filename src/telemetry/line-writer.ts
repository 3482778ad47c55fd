import { write, writeSync } from 'node:fs'

/** Lines are gathered for at most this long, so that a busy server writes them in batches. */
const GATHER_MS = 200
const BATCH_CHARS = 4_096
/** So much waits for a reader that takes nothing; what comes then is lost. */
const WAITING_CHARS_MAX = 4 * 1_024 * 1_024
const AGAIN_MS = 100
const NONE = Buffer.alloc(0)
/** The end of the process waits so long for a reader. */
const LAST_MS = 500

/**
 * Writes lines to a file or a pipe, and bears all that these do: a reader who takes nothing for a while or never again, one who has
 * gone, a full disk. A process is there for its callers, and goes on without its log.
 */
export class LineWriter {
  readonly #fd: number
  readonly #onLost: (lines: number) => void
  #waiting = ''
  /** What a reader does not take, while it is left alone. */
  #untaken: Buffer = NONE
  #isWriting = false
  #isDue = false
  #lost = 0

  /** `onLost` is called once lines can be written again, with how many could not. */
  constructor(fd: number, onLost: (lines: number) => void) {
    this.#fd = fd
    this.#onLost = onLost
  }

  write(line: string): void {
    if (this.#waiting.length > WAITING_CHARS_MAX) this.#lost++
    else this.#waiting += line
    this.#next()
  }

  /** The end: writes what waits before it returns, or gives up soon. */
  flushSync(): void {
    const until = performance.now() + LAST_MS
    let rest: Buffer = Buffer.concat([this.#untaken, Buffer.from(this.#waiting)])
    this.#waiting = ''
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest))
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      }
    }
  }

  #next(): void {
    if (this.#isWriting || this.#waiting === '') return
    if (this.#waiting.length >= BATCH_CHARS) this.#start()
    else if (!this.#isDue) {
      this.#isDue = true
      setTimeout(this.#gathered, GATHER_MS).unref()
    }
  }

  #gathered = (): void => {
    this.#isDue = false
    if (!this.#isWriting && this.#waiting !== '') this.#start()
  }

  #start(): void {
    this.#isWriting = true
    const lines = Buffer.from(this.#waiting)
    this.#waiting = ''
    this.#send(lines)
  }

  #send(lines: Buffer): void {
    write(this.#fd, lines, (error, taken) => {
      if (isBusy(error)) return this.#pause(lines)
      const rest = lines.subarray(taken)
      if (!error && rest.length > 0) return this.#send(rest)
      this.#isWriting = false
      if (error) this.#lost += String(lines).split('\n').length - 1
      else this.#tellLost()
      this.#next()
    })
  }

  #pause(lines: Buffer): void {
    this.#untaken = lines
    const again = () => {
      this.#untaken = NONE
      this.#send(lines)
    }
    setTimeout(again, AGAIN_MS).unref()
  }

  #tellLost(): void {
    const lost = this.#lost
    this.#lost = 0
    if (lost > 0) this.#onLost(lost)
  }
}

const isBusy = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN'
