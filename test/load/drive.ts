import { setTimeout as after } from 'node:timers/promises'
import { Pool } from 'undici'
import type { LoadRequest } from './requests.ts'

const TICK_MS = 2
const ANSWER_MS_MAX = 30_000

export type Outcome = {
  sent: number
  seconds: number
  /** Of answers as wanted, ascending. */
  latenciesMs: number[]
  /** Of quick refusals: 503 with `Retry-After`. */
  shedMs: number[]
  /** Anything else: another status, no answer. */
  errors: number
  /** How often each status was answered; `none` where no answer came. */
  answers: Map<string, number>
  /** Until the last of those sent was answered, whatever the answer was. */
  longestMs: number
}

/** Whether to send one more, by what was sent so far and how long it took. */
type GoesOn = (sent: number, seconds: number) => boolean

/** One request again and again, so many at once. Throws when an answer is not the one that it wants. */
export async function drive(base: string, request: LoadRequest, atOnce: number, goesOn: GoesOn): Promise<Outcome> {
  await using driver = new Driver(base, [request], atOnce)
  const outcome = await driver.closedLoop(atOnce, goesOn)
  const wrong = outcome.errors + outcome.shedMs.length
  if (wrong > 0) throw new Error(`${request.method} ${request.path}: ${wrong} wrong answers`)
  return outcome
}

/** Sends requests to a server over at most `connections` connections. */
export class Driver implements AsyncDisposable {
  readonly #pool: Pool
  readonly #requests: readonly LoadRequest[]
  #turn = 0

  constructor(base: string, requests: readonly LoadRequest[], connections: number) {
    this.#pool = new Pool(base, { connections, pipelining: 1, headersTimeout: ANSWER_MS_MAX })
    this.#requests = requests
  }

  /** As many at once as given, each followed by the next as soon as it is answered: finds what a server can do. */
  async closedLoop(atOnce: number, goesOn: GoesOn): Promise<Outcome> {
    const begun = performance.now()
    const outcome = nothing()
    const work = async () => {
      while (goesOn(outcome.sent, (performance.now() - begun) / 1000)) await this.#send(performance.now(), outcome)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return settled(outcome, begun)
  }

  /** So many a second, whatever becomes of those before: latency counts from when a request was due, as callers feel it. */
  async openLoop(perSecond: number, seconds: number): Promise<Outcome> {
    const begun = performance.now()
    const outcome = nothing()
    const answers: Promise<void>[] = []
    const total = Math.floor(perSecond * seconds)
    while (answers.length < total) {
      const due = Math.min(total, Math.ceil(((performance.now() - begun) / 1000) * perSecond))
      while (answers.length < due) {
        const at = begun + (answers.length / perSecond) * 1000
        answers.push(this.#send(at, outcome))
      }
      await after(TICK_MS)
    }
    const sentAll = settled(outcome, begun)
    await Promise.all(answers)
    return { ...settled(outcome, begun), seconds: sentAll.seconds }
  }

  async #send(from: number, outcome: Outcome): Promise<void> {
    const { status, ...request } = this.#requests[this.#turn++ % this.#requests.length] as LoadRequest
    outcome.sent++
    const sort = async () => {
      const { statusCode, headers, body } = await this.#pool.request(request)
      await body.dump()
      count(outcome, String(statusCode), from)
      if (statusCode === status) return outcome.latenciesMs.push(performance.now() - from)
      if (statusCode === 503 && headers['retry-after']) return outcome.shedMs.push(performance.now() - from)
      return outcome.errors++
    }
    await sort().catch(() => {
      count(outcome, 'none', from)
      outcome.errors++
    })
  }

  async [Symbol.asyncDispose]() {
    await this.#pool.destroy()
  }
}

/** The value below which a share of the ascending values lies. */
export const percentile = (values: readonly number[], share: number) =>
  values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const nothing = (): Outcome => ({
  sent: 0,
  seconds: 0,
  latenciesMs: [],
  shedMs: [],
  errors: 0,
  answers: new Map(),
  longestMs: 0,
})

function count(outcome: Outcome, answer: string, from: number) {
  outcome.answers.set(answer, (outcome.answers.get(answer) ?? 0) + 1)
  outcome.longestMs = Math.max(outcome.longestMs, performance.now() - from)
}

function settled(outcome: Outcome, begun: number): Outcome {
  const ascending = (values: number[]) => values.toSorted((one, other) => one - other)
  const { latenciesMs, shedMs } = outcome
  const seconds = (performance.now() - begun) / 1000
  return { ...outcome, seconds, latenciesMs: ascending(latenciesMs), shedMs: ascending(shedMs) }
}
