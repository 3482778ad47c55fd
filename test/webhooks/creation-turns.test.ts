import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { poolSizes } from '../../src/db/pools.ts'
import type { CallerContext } from '../../src/domain/core/context.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { within } from '../../src/time/within.ts'
import { untilAllWait } from '../support/waiting.ts'
import { createStage, type Stage } from './support/stage.ts'

/** Requests at once, more than there are connections, and few enough for a slow machine to do one after the other. */
const ASKED = poolSizes.fast + 4
/** Much more than a statement takes that waits for nobody. */
const SOON_MS = 1_000

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const make = (as: CallerContext) =>
  createSubscription(as, { url: 'https://hooks.customer.com/x', event_types: ['channel.updated'] }).then(
    () => 'made',
    ({ code }: { code: string }) => code,
  )

/** Whether a statement of somebody else is answered while all these wait for what another transaction of their owner holds. */
async function isAnsweredWhile(lock: string, asking: () => Promise<string>[]) {
  const { asked, isAnswered } = await stage.context.slow.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
    const asked = await untilAllWait(stage.context, asking)
    const other = stage.context.db.execute(sql`select 1`).then(() => true)
    return { asked, isAnswered: await within(SOON_MS, other, () => false) }
  })
  return { isAnswered, outcomes: new Set(await Promise.all(asked)) }
}

test('of one owner’s applications one subscription is made at a time: those that wait keep no connection from others', async () => {
  const ownerId = (await stage.user('owner_in_a_hurry')).id
  const clients = await Promise.all(Array.from({ length: 4 }, () => stage.client()))
  for (const { id } of clients) await stage.run(`update clients set owner_id = '${ownerId}' where id = '${id}'`)
  const as = (clientId: string): CallerContext => {
    const { principal, ...context } = stage.asApplication(clientId)
    return { ...context, principal: { ...principal, ownerId } as CallerContext['principal'] }
  }
  const asking = () => Array.from({ length: ASKED }, (_, n) => make(as(clients[n % 4]?.id ?? '')))
  const asked = await isAnsweredWhile(`webhook subscriptions ${ownerId} `, asking)
  expect(asked).toEqual({ isAnswered: true, outcomes: new Set(['made']) })
})

test('nor do those of one user', async () => {
  const user = await stage.user('user_in_a_hurry')
  const [row] = await stage.run(`select owner_id from clients where id = '${stage.application.id}'`)
  const asking = () => Array.from({ length: ASKED }, () => make(stage.asUser(user)))
  const asked = await isAnsweredWhile(`webhook subscriptions ${row?.owner_id} ${user.id}`, asking)
  expect(asked).toEqual({ isAnswered: true, outcomes: new Set(['made']) })
})
