import { request } from 'node:http'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import type { Actor } from '../../src/domain/core/actor.ts'
import { takeTurn } from '../../src/domain/core/turns/take-turn.ts'
import { transactInTurn } from '../../src/domain/core/turns/transact-in-turn.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { createTestApp } from '../support/app.ts'
import { isAnyoneWaiting } from '../support/waiting.ts'

const PATIENT = { timeout: 10_000 }
const loadLimit = new LoadLimit()
const app = await createTestApp({ loadLimit })
afterAll(() => app[Symbol.asyncDispose]())
const { context } = app
const ada = await app.user('ada')
const bob = await app.user('bob')
const client = await app.client()
const userToken = await app.token(['chat:write', 'moderation:write'], { user: ada })
const clientToken = await app.token(['webhook:write'], { client })
context.credentials.trust() // so that those who wait have asked the database before

/** Sends a request whose sender leaves when the function that is returned is called. */
function ask(route: string, token: string, { body, headers }: { body?: object; headers?: object } = {}): () => void {
  const [method, path = '/'] = route.split(' ')
  const sent = request(app.base + path, {
    method,
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  })
  sent.on('error', () => {})
  sent.end(body && JSON.stringify(body))
  return () => void sent.destroy()
}

const say = (n: number) =>
  ask('POST /v1/chat/messages', userToken, {
    body: { room_name: 'ada', content: `${n}` },
    headers: { 'idempotency-key': `key-${n}` },
  })
const unban = () => ask('POST /trpc/moderation.unban', userToken, { body: { user_id: bob.id } })
const list = () => ask('GET /trpc/deliveries.list?input=%7B%7D', clientToken)

const user = { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes: [] } as unknown as Actor
const application = { kind: 'application', clientId: client.id, ownerId: null, scopes: [] } as unknown as Actor
type Held = (work: () => Promise<void>) => Promise<void>
const ownTransaction: Held = (work) => transactInTurn({ ...context, principal: user }, work)
const ownRead: Held = (work) => takeTurn({ ...context, principal: application }, work)

test.each([
  ['a request with a key', say, ownTransaction],
  ['a call at /trpc', unban, ownTransaction],
  ['a slow read', list, ownRead],
])('whoever waits for their turn and leaves leaves their place to others at once: %s', async (_, send, hold) => {
  let letGo = () => {}
  const held = hold(
    () =>
      new Promise((resolve) => {
        letGo = resolve
      }),
  )
  for (let round = 0; round < 3; round++) {
    const leave = Array.from({ length: 6 }, (_, n) => send(n))
    await vi.waitUntil(() => loadLimit.requests === 6, PATIENT)
    for (const one of leave) one()
    await vi.waitUntil(() => loadLimit.requests === 0, PATIENT)
  }
  letGo()
  await held
  expect(loadLimit.requests).toBe(0)
})

test('whose transaction runs keeps the place until it has ended, whoever has left', async () => {
  let leave = [() => {}]
  await context.slow.transaction(async (tx) => {
    await tx.execute(sql`lock table chat_messages in access exclusive mode`)
    leave = [say(101)]
    await vi.waitUntil(() => isAnyoneWaiting(context), PATIENT)
    leave.push(say(102), say(103))
    await vi.waitUntil(() => loadLimit.requests === 3, PATIENT)
    for (const one of leave) one()
    await vi.waitUntil(() => loadLimit.requests === 1, PATIENT)
    expect(await isAnyoneWaiting(context)).toBe(true)
    expect(loadLimit.requests).toBe(1)
  })
  await vi.waitUntil(() => loadLimit.requests === 0, PATIENT)
  const said = await context.db.execute(sql`select content from chat_messages where content in ('101', '102', '103')`)
  expect(said.map(({ content }) => content)).toEqual(['101'])
})
