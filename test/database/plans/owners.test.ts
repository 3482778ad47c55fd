import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSubscription } from '../../../src/domain/webhooks/subscriptions/create.ts'
import { createStage, type Stage } from '../../webhooks/support/stage.ts'
import { type ExplainedDatabases, nodesOf, openExplained, outline, touchedBy } from './explained.ts'

/** How many subscriptions there are of others: of other applications, of this application's users, and for this user. */
const OTHERS = 1_000
const APPLICATIONS = 20
const TABLES = ['clients', 'webhook_subscriptions', 'users']

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
  const owner = (await stage.run(`select owner_id from clients where id = '${stage.application.id}'`))[0]
  await stage.run(`insert into users (id, username, created_at, updated_at)
    select 'usr_other_' || n, 'other_' || n, now(), now() from generate_series(1, ${OTHERS}) n`)
  await stage.run(`insert into clients (id, owner_id, name, confidential, grant_types, scopes, auth_method, created_at, updated_at)
    select 'cli_other_' || n, case when n < ${APPLICATIONS} then '${owner?.owner_id}' end, 'A', true, '{client_credentials}',
      '{}', 'secret', now(), now() from generate_series(1, ${OTHERS}) n`)
})
afterAll(() => stage[Symbol.asyncDispose]())

const subscribe = (prefix: string, clientId: string, userId: string) =>
  stage.run(`insert into webhook_subscriptions (id, client_id, user_id, url, event_types, created_at, updated_at)
    select 'sub_${prefix}_' || n, ${clientId}, ${userId}, 'https://hooks.customer.com/x', '{channel.updated}', now(), now()
    from generate_series(${APPLICATIONS}, ${OTHERS}) n`)

describe.each([
  ['without statistics', []],
  ['with statistics of few', [`vacuum analyze ${TABLES.join()}`]],
])('planned %s, for thousands', (_, before) => {
  let opened: ExplainedDatabases
  beforeAll(async () => {
    for (const table of TABLES) await stage.run(`alter table ${table} set (autovacuum_enabled = off)`)
    await stage.run('delete from webhook_subscriptions')
    for (const statement of before) await stage.run(statement)
    opened = openExplained(stage.target)
    for (const as of [stage.asApplication(), stage.asUser(stage.ada)]) await create(as)
    await subscribe('others', `'cli_other_' || n`, 'null::text')
    await subscribe('users', `'${stage.application.id}'`, `'usr_other_' || n`)
    await subscribe('user', `'cli_other_' || n`, `'${stage.ada.id}'`)
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  const create = (as: ReturnType<Stage['asApplication']>) =>
    createSubscription(
      { ...as, db: opened.db, slow: opened.slow },
      { url: 'https://hooks.customer.com/x', event_types: ['channel.updated'] },
    )

  test.each(['of their own', 'for a user'])(
    'room for a subscription %s is found without those of others',
    async (whose) => {
      const as = whose === 'for a user' ? stage.asUser(stage.ada) : stage.asApplication()
      const { statements } = await opened.explain(() => create(as))
      expect(statements.length).toBeGreaterThan(5)
      for (const { plan, text } of statements) {
        const read = Math.max(...[...nodesOf(plan)].map(touchedBy))
        expect(read, `${outline(plan)}\n${text}`).toBeLessThanOrEqual(2 * APPLICATIONS)
      }
    },
  )
})
