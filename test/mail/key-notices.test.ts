import { eq, inArray } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { apiKeys, keyNotices, mails } from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { tellOfEndingKeys } from '../../src/domain/applications/key-notices.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { changeNoticeSettings } from '../../src/domain/mail/switches.ts'
import { createNoticesContext } from './developers.ts'

const app = await createNoticesContext()
afterAll(() => app[Symbol.asyncDispose]())
const { context, developer, told } = app
const { db } = context
beforeEach(async () => {
  await db.delete(apiKeys)
  await db.delete(mails)
})

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)

test('a key is told of 14 and three days before its end, once each, whoever asks at once', async () => {
  const { asOwner, person, application } = await developer()
  const { id } = await application()
  const made = []
  for (const name of ['CI', 'Bot']) made.push(await createKey(asOwner, { application_id: id, name }))
  const ids = made.map((key) => key.id)
  const endIn = (days: number) =>
    db
      .update(apiKeys)
      .set({ expiresAt: inMs(days * DAY_MS), createdAt: ago(60) })
      .where(inArray(apiKeys.id, ids))
  await endIn(15)
  expect(await told(tellOfEndingKeys)).toEqual([])
  await endIn(13.9)
  await Promise.all([tellOfEndingKeys(context), tellOfEndingKeys(context)])
  const [mail, ...rest] = await told(tellOfEndingKeys)
  expect(rest).toEqual([])
  expect(mail).toMatchObject({ to: `${person.username}@example.com`, subject: 'API keys end soon' })
  expect(mail?.text).toMatch(/The key CI \(…\w{4}\) of the application “App of dev_\d+” ends at .*\nThe key Bot/)
  await endIn(3.1)
  expect(await told(tellOfEndingKeys)).toEqual([])
  await endIn(2.9)
  expect(await told(tellOfEndingKeys)).toHaveLength(1)
  expect(await told(tellOfEndingKeys)).toEqual([])
  expect((await db.select().from(keyNotices)).map(({ days }) => days)).toEqual([3, 3])
})

test('no key is told of that was revoked, rolled, made for less time, or whose owner has switched it off', async () => {
  const { asOwner, application } = await developer()
  const { id } = await application()
  const key = async (set: Partial<typeof apiKeys.$inferInsert>) => {
    const made = await createKey(asOwner, { application_id: id, name: 'CI' })
    const ends = { expiresAt: new Date(Date.now() + 10 * DAY_MS), createdAt: ago(60) }
    await db
      .update(apiKeys)
      .set({ ...ends, ...set })
      .where(eq(apiKeys.id, made.id))
    return made.id
  }
  const next = await key({ expiresAt: null })
  await key({ revokedAt: new Date() })
  await key({ replacedBy: next })
  await key({ createdAt: new Date() })
  expect(await told(tellOfEndingKeys)).toEqual([])
  await key({})
  await changeNoticeSettings(asOwner, { key_notices: false })
  expect(await told(tellOfEndingKeys)).toEqual([])
  await changeNoticeSettings(asOwner, { key_notices: true })
  expect(await told(tellOfEndingKeys)).toHaveLength(1)
})
