import {
  announcedNameOf,
  findLiving,
  type KeptCredential,
  keptCredentialOf,
  type LivingCredential,
} from '../../access/living-credentials.ts'
import type { Context } from '../../core/context.ts'
import type { OpenStream } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'

/** How often all are asked about at most, for ends that were not announced to this process. */
const CHECK_ALL_MS = 5_000
const CHECKED_MAX = 1_000

type Watched = KeptCredential & {
  streams: Set<OpenStream>
  /** What the credential ends with, itself included; its application, user and grant once it was asked about. */
  names: readonly string[]
  /** When it ends by itself, by `performance.now()`. */
  endsAt: number
}
type WatchContext = Pick<Context, 'db' | 'credentials'>

/**
 * Ends streams soon after their credentials. Asked about are those that are new, whose time has come, or which depend on what
 * was announced to have ended: all of a kind together, and each once, however many streams it has. All are asked about only
 * while announcements do not arrive, and once after that.
 */
export class CredentialWatch {
  readonly #ctx: WatchContext
  readonly #watched = new Map<string, Watched>()
  readonly #byName = new Map<string, Set<Watched>>()
  readonly #due = new Set<Watched>()
  /** What has ended while some are asked about, who may depend on it. */
  #endedMeanwhile: Set<string> | undefined
  #isAllDue = false
  #allDueFrom = 0

  constructor(ctx: WatchContext) {
    this.#ctx = ctx
    ctx.credentials.onEnd((what) => this.#noteEnd(what))
  }

  /** Watches the credential of a stream until the returned function is called. */
  add(stream: OpenStream): () => void {
    if (!stream.caller) return () => {}
    const kept = keptCredentialOf(stream.caller)
    const key = `${kept.kind} ${kept.hash}`
    const one = this.#watched.get(key) ?? this.#watch(key, kept)
    one.streams.add(stream)
    return () => {
      one.streams.delete(stream)
      if (one.streams.size > 0) return
      if (this.#watched.get(key) === one) this.#watched.delete(key)
      this.#due.delete(one)
      this.#setNames(one, [])
    }
  }

  #watch(key: string, kept: KeptCredential): Watched {
    const one: Watched = { ...kept, streams: new Set(), names: [], endsAt: Number.POSITIVE_INFINITY }
    this.#watched.set(key, one)
    this.#setNames(one, [announcedNameOf(kept)])
    this.#due.add(one) // it may have ended since it was admitted
    return one
  }

  /** Ends the streams whose credentials have ended or lost a scope. */
  async check(): Promise<void> {
    this.#markDue()
    if (this.#due.size === 0) return
    const due = [...this.#due]
    for (const kind of ['token', 'key', 'overlay', 'session'] as const) {
      const some = due.filter((one) => one.kind === kind)
      for (let at = 0; at < some.length; at += CHECKED_MAX)
        await this.#checkSome(kind, some.slice(at, at + CHECKED_MAX))
    }
  }

  #markDue() {
    const now = performance.now()
    const mayHaveMissed = this.#isAllDue || !this.#ctx.credentials.isTrusted
    const isAllDue = mayHaveMissed && now >= this.#allDueFrom
    if (isAllDue) {
      this.#isAllDue = false
      this.#allDueFrom = now + CHECK_ALL_MS
    }
    for (const one of this.#watched.values()) if (isAllDue || now >= one.endsAt) this.#due.add(one)
  }

  #noteEnd(what: string | undefined) {
    if (what === undefined) {
      this.#isAllDue = true
      return
    }
    this.#endedMeanwhile?.add(what)
    for (const one of this.#byName.get(what) ?? []) this.#due.add(one)
  }

  async #checkSome(kind: KeptCredential['kind'], some: readonly Watched[]) {
    const begun = performance.now()
    this.#endedMeanwhile = new Set()
    for (const one of some) this.#due.delete(one) // before they are asked about: an end from now on counts again
    try {
      const hashes = some.map(({ hash }) => hash)
      const living = await findLiving(this.#ctx, kind, hashes)
      for (const one of some) this.#judge(one, begun, living.get(one.hash))
    } catch (error) {
      for (const one of some) if (one.streams.size > 0) this.#due.add(one)
      throw error
    } finally {
      this.#endedMeanwhile = undefined
    }
  }

  #judge(one: Watched, begun: number, found: LivingCredential | undefined) {
    one.endsAt = begun + (found?.livesMs ?? Number.POSITIVE_INFINITY)
    for (const stream of [...one.streams]) {
      const problem = problemOf(stream, found)
      if (problem) stream.end({ reason: 'revoked', problem })
      else stream.doubt?.()
    }
    if (one.streams.size === 0) return
    this.#setNames(one, [announcedNameOf(one), ...(found?.dependsOn ?? [])])
    if (one.names.some((name) => this.#endedMeanwhile?.has(name))) this.#due.add(one)
  }

  #setNames(one: Watched, names: readonly string[]) {
    for (const name of one.names) {
      const others = this.#byName.get(name)
      others?.delete(one)
      if (others?.size === 0) this.#byName.delete(name)
    }
    for (const name of names) {
      const others = this.#byName.get(name)
      if (others) others.add(one)
      else this.#byName.set(name, new Set([one]))
    }
    one.names = names
  }
}

function problemOf({ scopes }: OpenStream, found: LivingCredential | undefined): Problem | undefined {
  if (!found) return new Problem('invalid_token', 'The credential has ended.')
  const lost = found.scopes && scopes.find((scope) => !found.scopes?.includes(scope))
  if (!lost) return undefined
  return new Problem('insufficient_scope', `The credential has lost the scope "${lost}".`, { scopes: [lost] })
}
