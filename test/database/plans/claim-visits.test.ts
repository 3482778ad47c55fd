import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { refileWaiting } from '../../../src/domain/webhooks/queue/refile.ts'
import { ClaimTurns } from '../../../src/domain/webhooks/worker/claim-turns.ts'
import { crowds } from '../../webhooks/support/crowd.ts'
import { createStage, type Stage } from '../../webhooks/support/stage.ts'
import { type ExplainedDatabases, nodesOf, openExplained, outline, touchedBy } from './explained.ts'

/** What a worker looks at before it knows whom to send to, counted in statements and rows: it depends on no machine. */
let stage: Stage
let made: ReturnType<typeof crowds>
let explained: ExplainedDatabases
beforeAll(async () => {
  stage = await createStage()
  made = crowds(stage)
  explained = openExplained(stage.target)
})
afterEach(() => made.clear())
afterAll(async () => {
  await explained[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const PLACES = { fast: 64, unproven: 70, slow: 42 }
const newTurns = () => new ClaimTurns({ ...stage.context, db: explained.db, slow: explained.slow })

/** One round of claims: whom it has reached, by how many claims, and how many rows it read of the queue at most. */
async function round(turns: ClaimTurns, places = PLACES) {
  const { result, statements } = await explained.explain(() => turns.claim(0, 128, places))
  const claims = statements.filter(({ text }) => text.includes('full_owners'))
  const nodes = claims.flatMap(({ plan }) => [...nodesOf(plan)])
  const ofQueue = nodes.filter((node) => node['Index Name']?.startsWith('webhook_deliveries'))
  const read = ofQueue.reduce((sum, node) => sum + touchedBy(node), 0)
  const reached = result.rows.map((row) => row.subscription_id)
  return { reached, claims: claims.length, read, plans: claims.map(({ plan }) => outline(plan)).join('\n') }
}

async function accounts(count: number, size: number, attemptMs?: number) {
  for (let n = 0; n < count; n++) {
    const { id: ownerId } = await stage.user(`${attemptMs ?? 'new'}_${n}`)
    await stage.run(`update users set created_at = now() - interval '8 days' where id = '${ownerId}'`)
    await made.crowd({ size, rows: 2, ownerId, ...(attemptMs !== undefined && { attemptMs }) })
  }
}

test.each([
  { name: 'have never answered', attemptMs: undefined, inFlight: 62 },
  { name: 'answer at once, at the cap of each', attemptMs: 50, inFlight: 640 },
])(
  'ten accounts with 300 receivers that $name cost one look each, and hide nobody',
  async ({ attemptMs, inFlight }) => {
    await accounts(10, 300, attemptMs)
    const turns = newTurns()
    let taken = 0
    for (let n = 0; n < 20; n++) {
      const places = { ...PLACES, unproven: attemptMs === undefined ? PLACES.unproven - taken : PLACES.unproven }
      taken += (await turns.claim(0, 128, places)).rows.length
    }
    expect(taken).toBe(inFlight)
    const places = { ...PLACES, unproven: attemptMs === undefined ? PLACES.unproven - taken : PLACES.unproven }
    const fruitless = await round(turns, places)
    expect(fruitless.reached).toEqual([])
    expect(fruitless.claims, 'from where it stands to the end, and once from the beginning').toBeLessThanOrEqual(2)
    expect(fruitless.read - taken * fruitless.claims, fruitless.plans).toBeLessThanOrEqual(30)
    const healthy = await made.crowd({ size: 1, rows: 1 })
    expect((await round(turns, places)).reached).toEqual(healthy)
  },
)

test('10,000 receivers that rest cost a round one claim that looks at 512 of them, and hide nobody', async () => {
  const resting = await made.crowd({ size: 10_000, attemptMs: 50 })
  const rest = (until: string) => stage.run(`update webhook_subscriptions set open_until = ${until}`)
  await rest("now() + interval '1 hour'")
  await made.deliveries(resting, 1)
  const turns = newTurns()
  const fruitless = await round(turns)
  expect(fruitless).toMatchObject({ reached: [], claims: 1 })
  expect(fruitless.read, fruitless.plans).toBeLessThanOrEqual(600)
  const healthy = await made.crowd({ size: 1, rows: 1, attemptMs: 50 })
  expect((await round(turns)).reached).toEqual(healthy)
  await rest('null')
  const { reached } = await round(turns)
  expect(reached).toHaveLength(PLACES.fast)
  expect(resting).toEqual(expect.arrayContaining(reached))
})

test('what waits for a receiver that begins to rest is filed as resting, and under its pace again when the rest is over', async () => {
  const [id = ''] = await made.crowd({ size: 1, rows: 3, attemptMs: 50 })
  const filed = async () => new Set((await stage.queue()).map(({ pace }) => pace))
  for (const [until, pace] of [
    ["now() + interval '1 minute'", 3],
    ["now() - interval '1 second'", 0],
  ] as const) {
    await stage.run(`update webhook_subscriptions set open_until = ${until} where id = '${id}'`)
    await refileWaiting(stage.context)
    expect(await filed()).toEqual(new Set([pace]))
  }
})
