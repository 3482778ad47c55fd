import { hash } from 'node:crypto'
import type { Principal } from '../core/actor.ts'
import type { FoundPrincipal, PrincipalCache } from '../core/context.ts'

type Entry = { principal: Principal; until: number }

const LIFE_MS = 5_000
const ENTRIES_MAX = 10_000

/**
 * Principals of credentials that were found good a moment ago, so that a caller of many requests is looked up once in
 * five seconds. It holds only while somebody listens for changes (`trust`) and forgets everything at each of them; without
 * a listener it is empty, and every credential is looked up. What is not found is never remembered.
 */
export class CredentialCache implements PrincipalCache {
  readonly #entries = new Map<string, Entry>()
  #isTrusted = false
  #changes = 0

  /** Grows with every change that is heard of; undefined while none is. */
  get changes(): number | undefined {
    return this.#isTrusted ? this.#changes : undefined
  }

  /** Changes are heard of from now on; what was remembered before might have missed one. */
  trust() {
    this.forget()
    this.#isTrusted = true
  }

  /** Changes are no longer heard of. */
  distrust() {
    this.#isTrusted = false
    this.forget()
  }

  /** Something was revoked, disabled or deleted: it is not known what. */
  readonly forget = () => {
    this.#changes++
    this.#entries.clear()
  }

  /**
   * The principal of a credential, remembered or found. What was found while something changed is not remembered: it may
   * have been read before the change.
   */
  async principalOf(
    credential: string,
    find: () => Promise<FoundPrincipal | undefined>,
  ): Promise<Principal | undefined> {
    if (!this.#isTrusted) return (await find())?.principal
    const key = hash('sha256', credential, 'base64')
    const known = this.#entries.get(key)
    if (known && known.until > performance.now()) return known.principal

    const changes = this.#changes
    const found = await find()
    if (found && changes === this.#changes) this.#keep(key, found)
    return found?.principal
  }

  #keep(key: string, { principal, livesMs }: FoundPrincipal) {
    if (this.#entries.size >= ENTRIES_MAX) this.#entries.clear()
    this.#entries.set(key, { principal, until: performance.now() + Math.min(LIFE_MS, livesMs) })
  }
}
