import { MINUTE_MS } from '../../time/durations.ts'

/** How much of an application is kept in a minute by one process. */
const FAILURES_MAX = 100
/** Of those, with one code: what is refused a thousand times must not hide what failed once. */
const OF_ONE_CODE_MAX = 50
/** The sample of what did not fail: the first of each minute. */
const OTHERS_MAX = 10
/** Of requests that name an application and do not prove to be it: anybody can make them. */
const UNPROVEN_MAX = 20

/** Of all applications together, so that the disk is bounded: half a gigabyte an hour at most, and usually next to nothing. */
const ALL_MAX = 12_000
const ALL_UNPROVEN_MAX = 600
/** Bounds the memory of the counts. */
const APPLICATIONS_MAX = 20_000

export type RequestKind = {
  clientId: string
  /** The public code of a failure; undefined for what did not fail. */
  code: string | undefined
  /** Whether a credential says that the application made it. */
  isProven: boolean
}

/** Counts of an application in the present minute, those of its codes only when something has failed. */
type Spent = { failures: number; others: number; codes: Map<string, number> | undefined }

/** What of each application, and of all together, was kept in the present minute. */
export class MinuteBudget {
  #minute = -1
  #all = 0
  #allUnproven = 0
  #proven = new Map<string, Spent>()
  #unproven = new Map<string, number>()

  /** Whether one more may be kept; counts it then. */
  take(nowMs: number, kind: RequestKind): boolean {
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute !== this.#minute) this.#begin(minute)
    return kind.isProven ? this.#takeProven(kind) : this.#takeUnproven(kind.clientId)
  }

  #begin(minute: number) {
    this.#minute = minute
    this.#all = 0
    this.#allUnproven = 0
    this.#proven = new Map()
    this.#unproven = new Map()
  }

  #takeProven({ clientId, code }: RequestKind): boolean {
    const spent = this.#spentBy(clientId)
    if (!spent || this.#all >= ALL_MAX || !(code === undefined ? takeOther(spent) : takeFailure(spent, code)))
      return false
    this.#all++
    return true
  }

  #takeUnproven(clientId: string): boolean {
    const spent = this.#unproven.get(clientId) ?? 0
    if (spent >= UNPROVEN_MAX || this.#allUnproven >= ALL_UNPROVEN_MAX) return false
    this.#unproven.set(clientId, spent + 1)
    this.#allUnproven++
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
