import { MINUTE_MS } from '../../time/durations.ts'

/** How much of an application is kept in a minute by one process. */
const FAILURES_MAX = 100
/** Of those, with one code: what is refused a thousand times must not hide what failed once. */
const OF_ONE_CODE_MAX = 50
/** The sample of what did not fail: the first of each minute. */
const OTHERS_MAX = 10
/** Of requests that name an application and do not prove to be it: anybody can make them, so one place has a share of them. */
const CLAIMED = { ofApplication: 100, ofApplicationFromPlace: 20, fromPlace: 60, all: 600 }
/** Of those that were refused before anybody looked whether there is such an application: made-up names take nothing from others. */
const UNKNOWN = { ofApplication: 5, ofApplicationFromPlace: 5, fromPlace: 10, all: 100 }

/** Of all applications together, so that the disk is bounded: half a gigabyte an hour at most, and usually next to nothing. */
const ALL_MAX = 12_000
/** Bounds the memory of the counts. */
const APPLICATIONS_MAX = 20_000

export type RequestKind = {
  clientId: string
  /** The public code of a failure; undefined for what did not fail. */
  code: string | undefined
  /** `proven`: a credential says that the application made it. `claimed`: it names one that exists; `unknown`: that may not. */
  origin: 'proven' | 'claimed' | 'unknown'
  /** From where: an address, or the site of an IPv6 address. */
  place: string
}

/** Counts of an application in the present minute, those of its codes only when something has failed. */
type Spent = { failures: number; others: number; codes: Map<string, number> | undefined }

/** What of each application, and of all together, was kept in the present minute. */
export class MinuteBudget {
  #minute = -1
  #all = 0
  #proven = new Map<string, Spent>()
  #claimed = new SharedBudget(CLAIMED)
  #unknown = new SharedBudget(UNKNOWN)

  /** Whether one more may be kept; counts it then. */
  take(nowMs: number, kind: RequestKind): boolean {
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute !== this.#minute) this.#begin(minute)
    if (kind.origin === 'proven') return this.#takeProven(kind)
    return (kind.origin === 'claimed' ? this.#claimed : this.#unknown).take(kind)
  }

  #begin(minute: number) {
    this.#minute = minute
    this.#all = 0
    this.#proven = new Map()
    this.#claimed = new SharedBudget(CLAIMED)
    this.#unknown = new SharedBudget(UNKNOWN)
  }

  #takeProven({ clientId, code }: RequestKind): boolean {
    const spent = this.#spentBy(clientId)
    if (!spent || this.#all >= ALL_MAX || !(code === undefined ? takeOther(spent) : takeFailure(spent, code)))
      return false
    this.#all++
    return true
  }

  #spentBy(clientId: string): Spent | undefined {
    const known = this.#proven.get(clientId)
    if (known || this.#proven.size >= APPLICATIONS_MAX) return known
    const made = { failures: 0, others: 0, codes: undefined }
    this.#proven.set(clientId, made)
    return made
  }
}

/** What all who prove nothing share, so that no place takes it from the others. Holds a few entries for each that was kept. */
class SharedBudget {
  readonly #max: typeof CLAIMED
  readonly #spent = new Map<string, number>()
  #all = 0

  constructor(max: typeof CLAIMED) {
    this.#max = max
  }

  take({ clientId, place }: RequestKind): boolean {
    const bounds = [
      [`application ${clientId}`, this.#max.ofApplication],
      [`application ${clientId} ${place}`, this.#max.ofApplicationFromPlace],
      [`place ${place}`, this.#max.fromPlace],
    ] as const
    if (this.#all >= this.#max.all || bounds.some(([key, max]) => this.#of(key) >= max)) return false
    for (const [key] of bounds) this.#spent.set(key, this.#of(key) + 1)
    this.#all++
    return true
  }

  #of = (key: string) => this.#spent.get(key) ?? 0
}

function takeOther(spent: Spent): boolean {
  if (spent.others >= OTHERS_MAX) return false
  spent.others++
  return true
}

function takeFailure(spent: Spent, code: string): boolean {
  if (spent.failures >= FAILURES_MAX) return false
  spent.codes ??= new Map()
  const ofCode = spent.codes.get(code) ?? 0
  if (ofCode >= OF_ONE_CODE_MAX) return false
  spent.codes.set(code, ofCode + 1)
  spent.failures++
  return true
}
