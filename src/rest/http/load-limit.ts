import { Problem } from '../../domain/core/problem.ts'
import { networkOf, siteOfNetwork } from '../../domain/core/rate-limits.ts'

/** More requests at once would only wait for the database: a quick 503 serves callers better than a long queue. */
export const REQUESTS_MAX = 1_000
/** Of these for one address (a /64 of IPv6), so that nobody alone takes the service away from all others. */
const NETWORK_MAX = 250
/** Bytes of bodies that are not whole yet, which wait outside of all places: of everybody, and of one address. */
const UNFINISHED_BYTES_MAX = 64 * 1024 * 1024
const UNFINISHED_NETWORK_BYTES_MAX = 8 * 1024 * 1024
/** What a /48 of IPv6 may have of either, in times of what one of its networks may: one site can have 65,536 networks. */
const SITE_FACTOR = 2
/** Streams of live updates are idle most of the time; each costs a socket and little else. */
export const STREAMS_MAX = 10_000
/** Of these for one address or IPv6 site, however many people speak from there: the other half is for all others. */
const STREAMS_NETWORK_MAX = STREAMS_MAX / 2

/** How many requests a process works on at this moment, within bounds. Streams have places of their own. */
export class LoadLimit {
  #streams = 0
  #requests = 0
  readonly #networks = new NetworkAmounts(NETWORK_MAX)
  readonly #streamNetworks = new NetworkAmounts(STREAMS_NETWORK_MAX, 1)
  #unfinishedBytes = 0
  readonly #unfinished = new NetworkAmounts(UNFINISHED_NETWORK_BYTES_MAX)

  /** A place for a call, or undefined when there is none. Whoever takes it calls `end` when the call is over. */
  take(address: string): Place | undefined {
    const network = networkOf(address)
    return this.enter(network) ? new Place(this, network) : undefined
  }

  /** Whether any further request would be refused, whoever sends it. */
  get isFull(): boolean {
    return this.#requests >= REQUESTS_MAX
  }

  get requests(): number {
    return this.#requests
  }

  /** Bytes of bodies that are not whole yet. */
  get unfinishedBytes(): number {
    return this.#unfinishedBytes
  }

  get streams(): number {
    return this.#streams
  }

  /** Counts a request of a network; false, and not counted, when that is one too many. */
  enter(network: string): boolean {
    if (this.isFull || !this.#networks.add(network, 1)) return false
    this.#requests++
    return true
  }

  leave(network: string): void {
    this.#requests--
    this.#networks.subtract(network, 1)
  }

  /** The same of a stream. */
  enterStream(network: string): boolean {
    if (this.#streams >= STREAMS_MAX || !this.#streamNetworks.add(network, 1)) return false
    this.#streams++
    return true
  }

  leaveStream(network: string): void {
    this.#streams--
    this.#streamNetworks.subtract(network, 1)
  }

  /** Counts bytes of an unfinished body; false, and not counted, when they are too many. */
  hold(network: string, bytes: number): boolean {
    if (this.#unfinishedBytes + bytes > UNFINISHED_BYTES_MAX || !this.#unfinished.add(network, bytes)) return false
    this.#unfinishedBytes += bytes
    return true
  }

  letGo(network: string, bytes: number): void {
    this.#unfinishedBytes -= bytes
    this.#unfinished.subtract(network, bytes)
  }
}

/** What each network has of something, and the IPv6 site (/48) that it belongs to, neither beyond its bound. */
class NetworkAmounts {
  readonly #max: number
  readonly #siteMax: number
  readonly #amounts = new Map<string, number>()

  constructor(max: number, siteFactor = SITE_FACTOR) {
    this.#max = max
    this.#siteMax = siteFactor * max
  }

  /** False, and nothing is added, when that is too much for the network or its site. */
  add(network: string, amount: number): boolean {
    const site = siteOfNetwork(network)
    const ofNetwork = (this.#amounts.get(network) ?? 0) + amount
    const ofSite = site === undefined ? 0 : (this.#amounts.get(site) ?? 0) + amount
    if (ofNetwork > this.#max || ofSite > this.#siteMax) return false
    this.#amounts.set(network, ofNetwork)
    if (site !== undefined) this.#amounts.set(site, ofSite)
    return true
  }

  subtract(network: string, amount: number): void {
    const site = siteOfNetwork(network)
    this.#set(network, (this.#amounts.get(network) ?? 0) - amount)
    if (site !== undefined) this.#set(site, (this.#amounts.get(site) ?? 0) - amount)
  }

  #set(key: string, amount: number): void {
    if (amount > 0) this.#amounts.set(key, amount)
    else this.#amounts.delete(key)
  }
}

/** The place of one call. Each method but `release` may be called at any time and any number of times. */
export class Place {
  readonly #limit: LoadLimit
  readonly #network: string
  #isStream = false
  #isTaken = true
  #hasEnded = false
  #heldBytes = 0
  /** The response and the work for it: who leaves early has its place until that has ended. */
  #holders = 2

  constructor(limit: LoadLimit, network: string) {
    this.#limit = limit
    this.#network = network
  }

  /** Lets others have it for as long as the call only waits for its caller. */
  giveBack(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    if (this.#isStream) this.#limit.leaveStream(this.#network)
    else this.#limit.leave(this.#network)
  }

  /** Counts bytes of its body, which is not whole yet; false when it may not have them. */
  hold(bytes: number): boolean {
    const isHeld = !this.#isStream && this.#limit.hold(this.#network, bytes)
    if (isHeld) this.#heldBytes += bytes
    return isHeld
  }

  /** Its body is whole, or will not be. */
  letGo(): void {
    if (this.#heldBytes > 0) this.#limit.letGo(this.#network, this.#heldBytes)
    this.#heldBytes = 0
  }

  /** Takes a place again; false when there is none, or the call is over. */
  takeAgain(): boolean {
    if (!this.#isTaken && !this.#hasEnded) this.#isTaken = !this.#isStream && this.#limit.enter(this.#network)
    return this.#isTaken
  }

  /**
   * Exchanges it for one of the streams, once all that may refuse the call has been judged: until then a call is a request like
   * any other, however many of them open streams. False, and nothing is changed, when there is none, or the call is over.
   */
  becomeStream(): boolean {
    if (this.#hasEnded || !this.#limit.enterStream(this.#network)) return false
    this.giveBack()
    this.#isStream = true
    this.#isTaken = true
    return true
  }

  /** Whether the work is done, and it stands for an answer that is not taken. */
  get isAnswered(): boolean {
    return this.#holders === 1
  }

  /** To be called once by each of the two that hold it; the second ends it. */
  release(): void {
    if (--this.#holders === 0) this.end()
  }

  end(): void {
    this.letGo()
    this.giveBack()
    this.#hasEnded = true
  }
}

/** Why a call is refused for which there is no place. */
export const busy = () => new Problem('unavailable', 'The service is busy; try again in a moment.', { retryAfterS: 1 })
