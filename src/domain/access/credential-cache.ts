import { hash } from 'node:crypto'
import type { Principal } from '../core/actor.ts'
import type { FoundPrincipal, PrincipalCache } from '../core/context.ts'

type Entry = { principal: Principal; until: number }

const LIFE_MS = 5_000
const ENTRIES_MAX = 10_000

/**
 * Remembers the principals of valid credentials, so that a caller who sends many requests is looked up once in five
 * seconds. Works only while changes are announced to this process (`trust`), and forgets everything at each of them;
 * otherwise it is empty and every credential is looked up. Credentials that are not valid are never remembered.
 */
export class CredentialCache implements PrincipalCache {
  readonly #entries = new Map<string, Entry>()
  #isTrusted = false
  #changes = 0

  /** Grows with every change that is announced; undefined while announcements are not received. */
  get changes(): number | undefined {
    return this.#isTrusted ? this.#changes : undefined
  }

  /** Changes are announced from now on. Forgets everything, since earlier changes may have been missed. */
  trust() {
    this.forget()
    this.#isTrusted = true
  }

  /** Changes are no longer announced. */
  distrust() {
    this.#isTrusted = false
    this.forget()
  }

  /** Something was revoked, disabled or deleted; the announcement does not say what. */
  readonly forget = () => {
    this.#changes++
    this.#entries.clear()
  }

  /**
   * The principal of a credential, remembered or found. Not remembered if a change was announced meanwhile: it may have
   * been read before that change.
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
