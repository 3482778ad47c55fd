import { networkOf, siteOf } from '../../core/rate-limits.ts'

type Places = { all: number; ofNetwork: number; ofSite: number }

/** How much is fetched at a time: by all together, for one network, and for one IPv6 site. */
export class FetchPlaces {
  readonly #places: Places
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor(places: Places) {
    this.#places = places
  }

  /** Takes a place for whoever asks from this address: what gives it back, or undefined where none is left for them. */
  take(address: string): (() => void) | undefined {
    const keys = [`network ${networkOf(address)}`, ...[siteOf(address)].flatMap((site) => site ?? []).map(inSites)]
    const isFull = keys.some((key, i) => this.#of(key) >= (i === 0 ? this.#places.ofNetwork : this.#places.ofSite))
    if (isFull || this.#all >= this.#places.all) return undefined
    this.#all++
    for (const key of keys) this.#taken.set(key, this.#of(key) + 1)
    return () => {
      this.#all--
      for (const key of keys) this.#giveBack(key)
    }
  }

  #of = (key: string) => this.#taken.get(key) ?? 0

  #giveBack(key: string) {
    const left = this.#of(key) - 1
    if (left > 0) this.#taken.set(key, left)
    else this.#taken.delete(key)
  }
}

const inSites = (site: string) => `site ${site}`
