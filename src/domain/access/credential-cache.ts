import { hash } from 'node:crypto'
import type { Reader } from '../core/actor.ts'
import type { FoundPrincipal, PrincipalCache } from '../core/context.ts'
import { Endings } from './endings.ts'

type Entry = {
  principal: Reader
  until: number
  /** By whose end the credential ends: its own digest, its application, user and grant. */
  dependsOn: readonly string[]
  /** How many endings there had been when it was known to be good. */
  goodAt: number
}

const LIFE_MS = 5_000
const ENTRIES_MAX = 10_000

/**
 * Remembers the principals of valid credentials, so that a caller who sends many requests is looked up once in five
 * seconds. Works only while changes are announced to this process (`trust`), and forgets at each of them what it ends;
 * otherwise it is empty and every credential is looked up. Credentials that are not valid are never remembered.
 */
export class CredentialCache implements PrincipalCache {
  readonly #entries = new Map<string, Entry>()
  readonly #endings = new Endings(LIFE_MS)
  readonly #listeners = new Set<(what?: string) => void>()
  #isTrusted = false

  get isTrusted(): boolean {
    return this.#isTrusted
  }

  onEnd(listener: (what?: string) => void): void {
    this.#listeners.add(listener)
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

  /** Forgets everything. */
  forget() {
    this.#endings.endAll()
    this.#entries.clear()
    for (const listen of this.#listeners) listen()
  }

  /** The announcement of a release before this one is empty: it does not say what has ended. */
  readonly end = (what: string) => {
    if (what === '') return this.forget()
    this.#endings.end(what)
    for (const listen of this.#listeners) listen(what)
  }

  /**
   * The principal of a credential, remembered or found. Not remembered if its end was announced meanwhile: it may have
   * been read before that.
   */
  async principalOf(credential: string, find: () => Promise<FoundPrincipal | undefined>): Promise<Reader | undefined> {
    if (!this.#isTrusted) return (await find())?.principal
    const key = hash('sha256', credential, 'base64')
    const known = this.#entries.get(key)
    if (known && known.until > performance.now() && !this.#endings.haveEnded(known.dependsOn, known.goodAt))
      return known.principal

    const begun = performance.now()
    const goodAt = this.#endings.count
    const found = await find()
    const isSlow = performance.now() - begun > LIFE_MS // so that an ending may have been forgotten meanwhile
    if (found && !isSlow) this.#keep(key, found, goodAt)
    return found?.principal
  }

  #keep(key: string, { principal, livesMs, grantId }: FoundPrincipal, goodAt: number) {
    const dependsOn = dependenciesOf(key, principal, grantId)
    if (this.#endings.haveEnded(dependsOn, goodAt)) return
    if (this.#entries.size >= ENTRIES_MAX) this.#entries.clear()
    const until = performance.now() + Math.min(LIFE_MS, livesMs)
    this.#entries.set(key, { principal, until, dependsOn, goodAt: this.#endings.count })
  }
}

function dependenciesOf(key: string, principal: Reader, grantId: string | undefined): string[] {
  const { clientId } = principal
  const userId = principal.kind === 'application' ? undefined : principal.userId
  return [key, clientId, userId, grantId].filter((one) => typeof one === 'string')
}
