import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../../src/domain/core/context.ts'
import { transact } from '../../../src/domain/core/transaction.ts'
import { emitEvent } from '../../../src/domain/events/emit.ts'
import { expandFanout } from '../../../src/domain/events/fanout.ts'
import { type Claim, claimDue } from '../../../src/domain/webhooks/queue/claim.ts'
import { checkDue } from '../../../src/domain/webhooks/queue/due-check.ts'
import { renewLeases, settle } from '../../../src/domain/webhooks/queue/settle.ts'
import { releaseOf } from '../../../src/domain/webhooks/queue/settlement.ts'
import { crowds } from '../../webhooks/support/crowd.ts'
import { createStage, type Stage } from '../../webhooks/support/stage.ts'
import { type Explained, type ExplainedDatabases, nodesOf, openExplained, outline, touchedBy } from './explained.ts'

/**
 * What the worker asks of the queue all the time is planned once for a connection, whatever the queue looks like at that
 * moment, and then serves until the server plans anew. So it is looked at with each plan that it may get.
 */
const RECEIVERS = 1_500
const ROWS = 20
const LIMIT = 64

let stage: Stage
let opened: ExplainedDatabases
let made: ReturnType<typeof crowds>
beforeAll(async () => {
  stage = await createStage()
  made = crowds(stage)
})
afterAll(async () => {
  await made.clear()
  await stage[Symbol.asyncDispose]()
})

const contextOf = ({ db, slow }: ExplainedDatabases): Context => ({ ...stage.context, db, slow })

/** Everything that the worker asks in a pass, and the claims. */
async function passOnce(ctx: Context): Promise<Claim> {
  await checkDue(ctx)
  const claim = await claimDue(ctx, { lane: 0, limit: LIMIT, scan: 512, perOwner: LIMIT })
  await renewLeases(ctx, claim.rows)
  await settle(
    ctx,
    claim.rows.map((row) => releaseOf(row)),
  )
  return claim
}

const rowsOfQueue = ({ plan }: Explained) =>
  [...nodesOf(plan)]
    .filter((node) => `${node['Relation Name']}${node['Index Name']}`.includes('webhook_deliveries'))
    .map(touchedBy)

describe.each(['while the queue is empty', 'without statistics', 'with statistics'])(
  'a plan that is made %s',
  (when) => {
    beforeAll(async () => {
      await made.clear()
      const ids = await made.crowd({ size: RECEIVERS })
      await stage.run('vacuum analyze webhook_deliveries')
      opened = openExplained(stage.target)
      if (when === 'while the queue is empty') await passOnce(contextOf(opened))
      await made.deliveries(ids, ROWS)
      await made.deliveries(ids, ROWS, { dueInS: 3600 })
      if (when === 'with statistics') await stage.run('analyze webhook_deliveries')
    })
    afterAll(() => opened[Symbol.asyncDispose]())

    test(`reads of ${2 * ROWS * RECEIVERS} rows only what is visited, claimed, renewed and settled`, async () => {
      const { result, statements } = await opened.explain(() => passOnce(contextOf(opened)))
      expect(result.rows).toHaveLength(LIMIT)
      expect(statements.length).toBeGreaterThan(3)
      for (const { plan, text } of statements) {
        const most = Math.max(0, ...rowsOfQueue({ plan, text }))
        expect(most, `${outline(plan)}\n${text}`).toBeLessThanOrEqual(1_024)
      }
    })
  },
)

test('a step of an event for many reads what it writes, whenever its plan was made', async () => {
  await made.clear()
  await using explained = openExplained(stage.target)
  const ctx = contextOf(explained)
  const step = () => expandFanout(ctx, 100)
  await step()
  const ids = await made.crowd({ size: RECEIVERS })
  await stage.run(`insert into webhook_subscription_types select 'webhook.test', '*', id
    from unnest(string_to_array('${ids}', ',')) t (id)`)
  await stage.run(`insert into webhook_fanouts (event_id, type, channel_id, occurred_at)
    select 'evt_' || n, 'webhook.test', 'x', now() from generate_series(1, 1000) n`)
  const { statements } = await explained.explain(step)
  for (const { plan, text } of statements) {
    const most = Math.max(...[...nodesOf(plan)].map(touchedBy))
    expect(most, `${outline(plan)}\n${text}`).toBeLessThanOrEqual(300)
  }
  await stage.run('truncate webhook_fanouts')
  await stage.run("update expected_deliveries set is_withdrawn = true where event_id like 'evt__'")
})

test('an event reads its receivers, not those of others, also by a plan that was made while there were none', async () => {
  await made.clear()
  await using explained = openExplained(stage.target)
  const ctx = contextOf(explained)
  const data = { id: 'str_x', title: null, category: null, thumbnail_url: null, channel: null, updated_at: 'now' }
  const emit = () => transact(ctx, (tx) => emitEvent(tx, 'livestream.ended', { channel: stage.ada, data }))
  await emit()
  const ids = await made.crowd({ size: RECEIVERS })
  await stage.run(`insert into webhook_subscription_types
    select 'livestream.ended', case when n < 4 then '*' else id end, id
    from unnest(string_to_array('${ids}', ',')) with ordinality t (id, n)`)
  const { statements } = await explained.explain(emit)
  const inserting = statements.filter(({ text }) => text.includes('channel_sequences'))
  expect(inserting).toHaveLength(1)
  for (const { plan, text } of inserting) {
    const most = Math.max(...[...nodesOf(plan)].map(touchedBy))
    expect(most, `${outline(plan)}\n${text}`).toBeLessThanOrEqual(20)
  }
})
