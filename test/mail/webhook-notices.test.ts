import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import {
  clients,
  mails,
  users,
  webhookAttempts,
  webhookDeliveries,
  webhookNotices,
  webhookSubscriptions,
} from '../../src/db/schema/index.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { changeNoticeSettings, getNoticeSettings } from '../../src/domain/mail/switches.ts'
import { tellOfFailing } from '../../src/domain/webhooks/worker/notices.ts'
import { createNoticesContext } from './developers.ts'

const app = await createNoticesContext()
afterAll(() => app[Symbol.asyncDispose]())
const { context, developer, told } = app
const { db } = context
await makePartitions(db, new Date(), { back: 7 })
beforeEach(async () => {
  await db.delete(webhookSubscriptions)
  await db.delete(mails)
})

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS - 120_000)

/** Everything that was told of webhooks happened so many days earlier. */
async function daysLater(days: number) {
  const ms = days * DAY_MS
  await app.elapse(webhookNotices, 'toldUntil', ms)
  await app.elapse(webhookSubscriptions, 'firstFailureAt', ms)
  await app.elapse(webhookSubscriptions, 'disabledAt', ms)
  await app.elapse(mails, 'queuedAt', ms)
}

test('a webhook that fails is told of after a day, after three, and when it was disabled, with its last status and a link', async () => {
  const { person, application } = await developer()
  const { id: clientId, subscribe } = await application()
  const id = await subscribe({ firstFailureAt: ago(0.9) })
  const delivery = { id: newId('delivery', new Date()), eventId: newId('event', new Date()), type: 'chat.message.sent' }
  await db
    .insert(webhookDeliveries)
    .values({ ...delivery, subscriptionId: id, lane: 1, attempts: 1, dueAt: inMs(60_000), createdAt: new Date() })
  const attempt = { deliveryId: delivery.id, n: 1, startedAt: new Date(), durationMs: 5, status: 503 }
  await db.insert(webhookAttempts).values(attempt)
  expect(await told(tellOfFailing)).toEqual([])

  await daysLater(0.2)
  const [first, ...rest] = await told(tellOfFailing)
  expect(rest).toEqual([])
  expect(first).toMatchObject({
    to: `${person.username}@example.com`,
    subject: `A webhook is failing: App of ${person.username}`,
  })
  expect(first?.text).toContain('127.0.0.1:9: no success since')
  expect(first?.text).toContain('The last answer had the status 503.')
  expect(first?.text).not.toContain('secret')
  const [{ text } = { text: undefined }] = app.sentMails
  expect(text?.link?.path).toBe(`/console/developer/webhooks/${id}`)
  expect(text?.settings?.path).toBe('/console/account/notifications')

  expect(await told(tellOfFailing)).toEqual([])
  await daysLater(1)
  expect(await told(tellOfFailing), 'nothing new on the second day').toEqual([])
  await daysLater(1)
  expect((await told(tellOfFailing)).map(({ subject }) => subject)).toEqual([
    `A webhook will be disabled: App of ${person.username}`,
  ])
  await daysLater(2)
  const disabled = { status: 'disabled', disabledReason: 'failing', disabledAt: ago(0) } as const
  await db.update(webhookSubscriptions).set(disabled).where(eq(webhookSubscriptions.id, id))
  expect((await told(tellOfFailing)).map(({ subject }) => subject)).toEqual([
    `A webhook was disabled: App of ${person.username}`,
  ])
  await daysLater(1)
  expect(await told(tellOfFailing)).toEqual([])
  expect(await db.select().from(webhookNotices).where(eq(webhookNotices.clientId, clientId))).toHaveLength(1)
})

test('one mail a day for an application, however many webhooks of it fail, and whoever asks at once', async () => {
  const { application } = await developer()
  const { subscribe } = await application()
  for (let n = 0; n < 7; n++) await subscribe({ firstFailureAt: ago(1.1) })
  await Promise.all([tellOfFailing(context), tellOfFailing(context), tellOfFailing(context)])
  const [mail, ...rest] = await told(tellOfFailing)
  expect(rest).toEqual([])
  expect(mail?.text).toMatch(/And 2 more\.$/)

  await subscribe({ status: 'disabled', disabledReason: 'gone', disabledAt: ago(0) })
  expect(await told(tellOfFailing), 'it waits for the next day').toEqual([])
  await app.elapse(webhookNotices, 'toldUntil', DAY_MS)
  const [next] = await told(tellOfFailing)
  expect(next?.text).toContain('answered 410 (Gone)')
})

test('nobody is told who has switched it off, has no confirmed address, or disabled it themselves', async () => {
  const [muted, unconfirmed, own] = [await developer(), await developer({ isConfirmed: false }), await developer()]
  expect(await changeNoticeSettings(muted.asOwner, { webhook_notices: false })).toEqual({
    webhook_notices: false,
    key_notices: true,
  })
  for (const one of [muted, unconfirmed]) await (await one.application()).subscribe({ firstFailureAt: ago(1) })
  const byOwner = { status: 'disabled', disabledReason: 'owner', disabledAt: ago(0), firstFailureAt: ago(4) } as const
  await (await own.application()).subscribe(byOwner)
  expect(await told(tellOfFailing)).toEqual([])
  await changeNoticeSettings(muted.asOwner, { webhook_notices: true })
  expect(await getNoticeSettings(muted.asOwner)).toEqual({ webhook_notices: true, key_notices: true })
  expect(await told(tellOfFailing)).toHaveLength(1)
})

test('five mails an hour to a mailbox; what is over comes with the next hour', async () => {
  const { application } = await developer()
  for (let n = 0; n < 7; n++) await (await application()).subscribe({ firstFailureAt: ago(1) })
  expect(await told(tellOfFailing)).toHaveLength(5)
  expect(await told(tellOfFailing)).toHaveLength(0)
  await app.elapse(mails, 'queuedAt', 3_600_000)
  expect(await told(tellOfFailing)).toHaveLength(2)
})

test('ten thousand failing webhooks of 250 owners take a transaction for each hundred applications, none for each webhook', async () => {
  const made = { createdAt: new Date(), updatedAt: new Date() }
  const numbers = Array.from({ length: 250 }, (_, n) => n)
  const owners = numbers.map((n) => ({
    id: newId('user', new Date()),
    username: `many_${n}`,
    email: `many_${n}@example.com`,
    emailVerifiedAt: new Date(),
    ...made,
  }))
  await db.insert(users).values(owners)
  const kind = {
    confidential: true,
    grantTypes: ['client_credentials' as const],
    scopes: [],
    authMethod: 'secret' as const,
  }
  const applications = owners.map(({ id: ownerId }, n) => ({
    id: newId('client', new Date()),
    ownerId,
    name: `Many ${n}`,
    ...kind,
    ...made,
  }))
  await db.insert(clients).values(applications)
  for (const { id: clientId } of applications) {
    const failing = {
      clientId,
      url: 'https://a.example/',
      eventTypes: ['chat.message.sent'],
      firstFailureAt: ago(1),
      ...made,
    }
    await db
      .insert(webhookSubscriptions)
      .values(numbers.slice(0, 40).map(() => ({ id: newId('subscription', new Date()), ...failing })))
  }
  const transactions = vi.spyOn(context.slow, 'transaction')
  await tellOfFailing(context)
  expect(await db.select().from(mails)).toHaveLength(250)
  expect(transactions).toHaveBeenCalledTimes(3)
})
