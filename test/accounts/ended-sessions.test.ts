import { setTimeout as after } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeys, applicationInvitations, applicationMembers, mails } from '../../src/db/schema/index.ts'
import { setPassword } from '../../src/domain/accounts/new-password.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { invitePerson } from '../../src/domain/applications/people/invite.ts'
import type { InTransaction } from '../../src/domain/core/transaction.ts'
import { isAnyoneWaiting } from '../support/waiting.ts'
import { createRobbedApp, type RobbedApp } from './robbed.ts'
import { robbedStage, sessionActs } from './session-acts.ts'

const OTHER = 'another long pass phrase'

let app: RobbedApp
beforeAll(async () => {
  app = await createRobbedApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** What of a context is another in a transaction that the test holds open. */
type Open = Pick<InTransaction, 'db' | 'afterCommit'>

/** Has `work` begin while a transaction is open that has done `before`; what became of the work after its commit. */
async function overtaken(before: (open: Open) => Promise<unknown>, work: () => Promise<unknown>): Promise<unknown> {
  const { outcome } = await app.context.db.transaction(async (db) => {
    await before({ db: db as never, afterCommit: () => {} })
    let isOver = false
    const end = (code: string) => {
      isOver = true
      return code
    }
    const outcome = work().then(
      () => end('done'),
      ({ code }) => end(code),
    )
    while (!isOver && !(await isAnyoneWaiting(app.context))) await after(5)
    return { outcome }
  })
  return outcome
}

describe('a call that was admitted before its session ended, and comes to its work after that, leaves nothing:', () => {
  test.each(Object.entries(sessionActs))('%s', async (_what, { prepare, act }) => {
    const stage = await robbedStage(app)
    const { user } = stage
    const prepared = (await prepare?.(stage)) ?? ''
    const end = (open: Open) => setPassword({ ...app.context, ...open }, user, 'a hash', { type: 'user', id: user.id })
    expect(await overtaken(end, () => act(stage, prepared))).toBe('invalid_token')
  })
})

const revokedKeys = async (id: string) =>
  (await app.context.db.select().from(apiKeys).where(eq(apiKeys.clientId, id))).map((key) => key.revokedAt !== null)

test('a new password waits for what a session has begun, and ends it', async () => {
  const { user, thief, developing, id, about } = await robbedStage(app)
  await app.context.db.delete(mails)
  const token = await app.forgot(user)
  const begin = async (open: Open) => {
    await createKey({ ...developing, ...open }, { ...about, name: 'X' })
    await invitePerson({ ...thief, ...open }, { ...about, email: 'friend@example.org', role: 'developer' })
  }
  expect(await overtaken(begin, () => app.reset(token, OTHER, true))).toBe('done')
  expect(await revokedKeys(id)).toEqual([true])
  expect(await app.context.db.$count(applicationInvitations, eq(applicationInvitations.clientId, id))).toBe(0)
})

test('what a member is adding when a new password ends all of it is ended with it', async () => {
  const { user, about, id } = await robbedStage(app)
  const friend = await app.person()
  const member = { clientId: id, userId: friend.id, role: 'developer', joinedAt: app.daysAgo(30) } as const
  await app.context.db.insert(applicationMembers).values(member)
  const developing = { ...(await app.actingAs(friend)), role: 'developer' } as const
  const token = await app.forgot(user)
  const begin = (open: Open) => createKey({ ...developing, ...open }, { ...about, name: 'X' })
  expect(await overtaken(begin, () => app.reset(token, OTHER, true))).toBe('done')
  expect(await revokedKeys(id)).toEqual([true])
})
