import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transact } from '../../../src/domain/core/transaction.ts'
import { emitEvent } from '../../../src/domain/events/emit.ts'
import { expandFanout } from '../../../src/domain/events/fanout.ts'
import { crowds } from '../../webhooks/support/crowd.ts'
import { createStage, type Stage } from '../../webhooks/support/stage.ts'
import { type Explained, type ExplainedDatabases, nodesOf, openExplained, outline, touchedBy } from './explained.ts'

/**
 * Receivers come faster than statistics: what was planned while the server knew of next to none, by its statistics or for want of
 * them, serves when there are thousands, until it analyzes the tables.
 */
const RECEIVERS = 3_000
/** What an event writes at once, and a step of one that has more. */
const STEP = 500
const TABLES = 'webhook_subscriptions, webhook_subscription_types, clients'

let stage: Stage
let made: ReturnType<typeof crowds>
beforeAll(async () => {
  stage = await createStage()
  made = crowds(stage)
})
afterAll(async () => {
  await stage.run('truncate webhook_fanouts')
  await stage.run('update expected_deliveries set is_withdrawn = true') // what these make is nobody's
  await stage[Symbol.asyncDispose]()
})

function expectToRead(most: number, statements: readonly Explained[]) {
  expect(statements.length).toBeGreaterThan(0)
  for (const { plan, text } of statements) {
    const read = Math.max(...[...nodesOf(plan)].map(touchedBy))
    expect(read, `${outline(plan)}\n${text}`).toBeLessThanOrEqual(most)
  }
}

describe.each([
  ['without statistics', []],
  ['with statistics of few', [`vacuum analyze ${TABLES}`]],
])('planned %s, for thousands', (_, before) => {
  let opened: ExplainedDatabases
  beforeAll(async () => {
    for (const table of TABLES.split(', ')) await stage.run(`alter table ${table} set (autovacuum_enabled = off)`)
    await stage.run('delete from webhook_subscriptions')
    await made.crowd({ size: 3 })
    for (const statement of before) await stage.run(statement)
    opened = openExplained(stage.target)
    await emit()
    await expand()
    const ids = await made.crowd({ size: RECEIVERS })
    await stage.run(`insert into webhook_subscription_types select 'webhook.test', '${stage.ada.id}', id
      from unnest(string_to_array('${ids}', ',')) t (id)`)
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  const context = () => ({ ...stage.context, db: opened.db, slow: opened.slow })
  const emit = () =>
    transact(context(), (tx) => emitEvent(tx, 'webhook.test', { channel: stage.ada, data: { message: 'x' } }))
  const expand = () => expandFanout(context(), STEP)

  test('an event reads no more receivers than it writes at once', async () => {
    expectToRead(STEP + 1, (await opened.explain(emit)).statements)
  })

  test('a step of it reads no receiver twice', async () => {
    const { result, statements } = await opened.explain(expand)
    expect(result).toBe(stage.ada.id)
    expectToRead(RECEIVERS, statements)
  })
})
