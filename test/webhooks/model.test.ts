import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Claimed, claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { renewLeases, settle } from '../../src/domain/webhooks/queue/settle.ts'
import { type Outcome, releaseOf } from '../../src/domain/webhooks/queue/settlement.ts'
import { sweepStopped } from '../../src/domain/webhooks/queue/sweep.ts'
import { crowds } from './support/crowd.ts'
import { sizeOf } from './support/long.ts'
import { createStage, type Stage } from './support/stage.ts'

const RUNS = sizeOf('random interleavings of the queue', { short: 25, long: 500 })
const SUBSCRIPTIONS = 3
const WINDOW = 8

let stage: Stage
let made: ReturnType<typeof crowds>
beforeAll(async () => {
  stage = await createStage()
  made = crowds(stage)
})
afterAll(async () => {
  await made.clear()
  await stage[Symbol.asyncDispose]()
})

const outcomes: Record<'finish' | 'retry' | 'release', Outcome> = {
  finish: { kind: 'finish', result: 'delivered', reason: null },
  retry: { kind: 'retry', delayS: 0 },
  release: { kind: 'release', delayS: 0 },
}
type Step =
  | { do: 'emit'; to: number }
  | { do: 'claim'; lane: 0 | 1; limit: number }
  | { do: 'settle'; which: number; how: keyof typeof outcomes }
  | { do: 'renew'; which: number }
  | { do: 'expire' }
  | { do: 'sweep' }
  | { do: 'stop'; to: number; how: 'delete' | 'disable' }

const which = fc.nat(50)
const to = fc.nat(SUBSCRIPTIONS - 1)
const kind = <Do extends Step['do']>(name: Do) => fc.constant(name)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: kind('emit'), to }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: kind('claim'),
        lane: fc.constantFrom<0 | 1>(0, 1),
        limit: fc.integer({ min: 1, max: 12 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: kind('settle'), which, how: fc.constantFrom('finish', 'retry', 'release') }),
    },
    { weight: 1, arbitrary: fc.record({ do: kind('renew'), which }) },
    { weight: 1, arbitrary: fc.record({ do: kind('expire') }) },
    { weight: 1, arbitrary: fc.record({ do: kind('sweep') }) },
    { weight: 1, arbitrary: fc.record({ do: kind('stop'), to, how: fc.constantFrom('delete', 'disable') }) },
  ),
  { minLength: 5, maxLength: 30 },
)

/** What the queue should be: every delivery ever made, who holds it, and whether it is finished. */
class Model {
  readonly leases = new Map<string, string | null>()
  readonly finished = new Map<string, string>()
  readonly attempts = new Map<string, number>()
  readonly stopped = new Map<string, 'cancelled' | 'held'>()
  /** Deliveries whose lease has ended: its holder may still settle it until another worker claims it. */
  readonly expired = new Set<string>()
  /** Every claim that was ever made, including those whose lease was lost. */
  readonly claims: Claimed[] = []

  isHeld({ id, lease }: Claimed) {
    return this.leases.get(id) === lease && !this.finished.has(id)
  }

  isFree(id: string) {
    return this.leases.get(id) === null || this.expired.has(id)
  }

  hold(row: Claimed) {
    this.leases.set(row.id, row.lease)
    this.expired.delete(row.id)
    this.claims.push(row)
  }

  free(id: string) {
    this.leases.set(id, null)
    this.expired.delete(id)
  }

  inFlight(subscription: string) {
    return this.claims.filter((row) => row.subscription_id === subscription && this.isHeld(row) && !this.isFree(row.id))
  }
}

class Queue {
  readonly model = new Model()
  readonly subscriptions: string[]

  constructor(subscriptions: string[]) {
    this.subscriptions = subscriptions
  }

  /** Takes a step in the database and in the model. Both must give the same answer. */
  take(step: Step): Promise<void> {
    switch (step.do) {
      case 'emit':
        return this.#emit(this.#subscription(step.to))
      case 'claim':
        return this.#claim(step.lane, step.limit)
      case 'settle':
        return this.#settle(this.#claimed(step.which), step.how)
      case 'renew':
        return this.#renew(this.#claimed(step.which))
      case 'expire':
        return this.#expire()
      case 'sweep':
        return this.#sweep()
      case 'stop':
        return this.#stop(this.#subscription(step.to), step.how)
    }
  }

  #claimed(n: number): Claimed | undefined {
    return this.model.claims[n % Math.max(this.model.claims.length, 1)]
  }

  #subscription(n: number) {
    return this.subscriptions[n] ?? ''
  }

  async #emit(subscription: string) {
    const before = new Set((await stage.queue()).map(({ id }) => id))
    await made.deliveries([subscription], 2)
    for (const { id } of await stage.queue()) if (!before.has(id)) this.model.leases.set(id, null)
  }

  async #claim(lane: 0 | 1, limit: number) {
    const { rows } = await claimDue(stage.context, { lane, limit })
    const { model } = this
    for (const row of rows) {
      expect(model.stopped.has(row.subscription_id), 'claimed for a stopped subscription').toBe(false)
      expect(model.finished.has(row.id), 'claimed again after it was finished').toBe(false)
      expect(model.isFree(row.id), 'claimed while somebody holds it').toBe(true)
      model.hold(row)
    }
    for (const id of this.subscriptions) expect(model.inFlight(id).length, 'in flight').toBeLessThanOrEqual(WINDOW)
  }

  async #settle(row: Claimed | undefined, how: keyof typeof outcomes) {
    if (!row) return
    const { model } = this
    const isHeld = model.isHeld(row)
    const attempt = {
      startedMs: Date.now(),
      durationMs: 1,
      status: 200,
      errorClass: null,
      detail: null,
      request: null,
      responseHeaders: null,
      response: null,
    }
    const settlement = { ...releaseOf(row), outcome: outcomes[how], attempt: how === 'release' ? null : attempt }
    const { leases } = await settle(stage.context, [settlement])
    expect(leases.has(row.lease)).toBe(isHeld)
    if (!isHeld) return
    model.free(row.id)
    if (how === 'finish') model.finished.set(row.id, 'delivered')
    if (how !== 'release') model.attempts.set(row.id, (model.attempts.get(row.id) ?? 0) + 1)
  }

  async #renew(row: Claimed | undefined) {
    if (!row) return
    const isHeld = this.model.isHeld(row)
    expect(await renewLeases(stage.context, [row])).toEqual(isHeld ? [row.id] : [])
    if (isHeld) this.model.expired.delete(row.id)
  }

  async #expire() {
    await stage.pass(40_000)
    for (const [id, lease] of this.model.leases) if (lease !== null) this.model.expired.add(id)
  }

  async #sweep() {
    await sweepStopped(stage.context)
    const { model } = this
    for (const { id, outcome, subscriptionId } of await stage.done()) {
      if (outcome === 'delivered' || !this.subscriptions.includes(subscriptionId) || model.finished.has(id)) continue
      expect(model.isFree(id), 'swept while somebody holds it').toBe(true)
      expect(outcome).toBe(model.stopped.get(subscriptionId))
      model.finished.set(id, outcome)
    }
  }

  async #stop(id: string, how: 'delete' | 'disable') {
    const isDeleted = how === 'delete' || this.model.stopped.get(id) === 'cancelled'
    this.model.stopped.set(id, isDeleted ? 'cancelled' : 'held')
    const change =
      how === 'delete' ? 'deleted_at = now()' : `status = 'disabled', disabled_reason = 'owner', disabled_at = now()`
    await stage.run(`update webhook_subscriptions set ${change} where id = '${id}'`)
  }

  /** Every delivery is in the queue or finished, once, as the model says; and every attempt was logged. */
  async holds() {
    const { model } = this
    const queued = (await stage.queue()).map(({ id, lease }) => [id, lease] as const)
    const expected = [...model.leases].filter(([id]) => !model.finished.has(id))
    expect(new Map(queued)).toEqual(new Map(expected))
    const done = (await stage.done()).filter(({ subscriptionId }) => this.subscriptions.includes(subscriptionId))
    expect(new Map(done.map(({ id, outcome }) => [id, outcome]))).toEqual(model.finished)
    const logged = new Map<string, number>()
    for (const { deliveryId } of await stage.attempts()) logged.set(deliveryId, (logged.get(deliveryId) ?? 0) + 1)
    for (const id of model.leases.keys()) expect(logged.get(id) ?? 0).toBe(model.attempts.get(id) ?? 0)
  }
}

test('emitting, claiming, settling, losing, stopping and sweeping in any order keep the queue’s promises', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      await made.clear()
      const queue = new Queue(await made.crowd({ size: SUBSCRIPTIONS }))
      for (const step of list) await queue.take(step)
      await queue.holds()
    }),
    { numRuns: RUNS },
  )
}, 300_000)
