import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { mails, users } from '../../src/db/schema/index.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { changeFacts } from '../../src/domain/mail/change-facts.ts'
import { mailMetrics, mailQueueMetrics } from '../../src/domain/mail/metrics.ts'
import { queueMail } from '../../src/domain/mail/queue-mail.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createTestContext } from '../support/context.ts'

const broken = { is: false }
const app = await createTestContext({
  mailTransport: {
    send: async (mail) => {
      if (broken.is) throw new Error('451 4.3.0 try again later')
      sent.push(mail.to)
    },
  },
})
const sent: string[] = []
const { context } = app
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  broken.is = false
  sent.length = 0
  await context.db.delete(mails)
})

const queue = (address: string, userId: string | null = null) =>
  transact(context, (tx) => queueMail(tx, 'password_changed', { userId, address }, changeFacts(context, 'ada')))
const pass = (ms: number) => app.elapse(mails, 'dueAt', ms)

test('a mail is sent once, after its cause is committed, and not when that is undone', async () => {
  await expect(
    transact(context, async (tx) => {
      await queueMail(tx, 'password_changed', { userId: null, address: 'ada@example.org' }, changeFacts(context, 'ada'))
      throw new Error('undone')
    }),
  ).rejects.toThrow('undone')
  expect(await sendDueMails(context)).toBe(0)

  await queue('ada@example.org')
  await Promise.all([sendDueMails(context), sendDueMails(context)])
  await pass(86_400_000)
  await sendDueMails(context)
  expect(sent).toEqual(['ada@example.org'])
})

test('what a mail says cannot be read in the database, and is forgotten once it is sent', async () => {
  const { log } = context
  await queue('ada@example.org')
  const [waiting] = await context.db.execute<{ row: string }>(sql`select mails::text as row from mails`)
  expect(Buffer.from(waiting?.row ?? '').toString()).not.toContain('"username"')
  await sendDueMails({ ...context, log })
  const [row] = await context.db.select().from(mails)
  expect(row).toMatchObject({ outcome: 'sent', ciphertext: null, keyId: null, dueAt: null })
})

test('a mail that fails is tried after 1 min, 5 min, 30 min, 2 h and 8 h, then given up and logged', async () => {
  broken.is = true
  await queue('ada@example.org')
  const before = { ...mailMetrics.attempts }
  const pauses: number[] = []
  for (let n = 0; n < 5; n++) {
    expect(await sendDueMails(context)).toBe(1)
    expect(await sendDueMails(context), 'not before it is due').toBe(0)
    const [row] = await context.db
      .select({ s: sql<number>`extract(epoch from due_at - statement_timestamp())::float8` })
      .from(mails)
    pauses.push(Math.round(row?.s ?? 0))
    await pass((row?.s ?? 0) * 1000)
  }
  expect(pauses).toEqual([60, 300, 1_800, 7_200, 28_800])
  expect(await sendDueMails(context)).toBe(1)
  await pass(86_400_000)
  expect(await sendDueMails(context)).toBe(0)
  const [row] = await context.db.select().from(mails)
  expect(row).toMatchObject({ outcome: 'given_up', ciphertext: null })
  expect(app.lines.at(-1)).toContain('A mail was given up')
  expect(app.lines.at(-1)).toContain('451 4.3.0')
  expect(mailMetrics.attempts).toMatchObject({ retried: before.retried + 5, given_up: before.given_up + 1 })
})

test('a worker that dies loses no mail: its lease ends', async () => {
  await queue('ada@example.org')
  const dead = sendDueMails({ ...context, mailTransport: { send: () => new Promise(() => {}) } })
  dead.catch(() => {})
  await expect.poll(async () => (await context.db.select().from(mails))[0]?.tries).toBe(1)
  expect(await sendDueMails(context)).toBe(0)
  await pass(120_000)
  expect(await sendDueMails(context)).toBe(1)
  expect(sent).toEqual(['ada@example.org'])
})

test('whatever ends each of its workers is given up as well', async () => {
  await queue('ada@example.org')
  await context.db.update(mails).set({ tries: 6 })
  expect(await sendDueMails(context)).toBe(1)
  expect(sent).toEqual([])
  expect((await context.db.select().from(mails))[0]?.outcome).toBe('given_up')
})

test('a mail whose link has ended is not sent any more', async () => {
  await transact(context, (tx) =>
    queueMail(tx, 'password_changed', { userId: null, address: 'ada@example.org' }, changeFacts(context, 'ada'), {
      usefulMs: 1_000,
    }),
  )
  await app.elapse(mails, 'uselessAt', 1_000)
  await sendDueMails(context)
  expect(sent).toEqual([])
})

test('five of a kind an hour to an address, however it is written, and five to an account, also when all are asked for at once', async () => {
  const suppressed = mailMetrics.suppressed
  const spellings = ['ada@example.org', 'ADA@example.org', 'ada+1@example.org', 'ada+a+b@EXAMPLE.org']
  const asked = Array.from({ length: 12 }, (_, n) => queue(spellings[n % 4] ?? ''))
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(5)
  expect(await queue('bob@example.org')).toBe(true)

  const user = await app.user('eve')
  const others = await Promise.all(Array.from({ length: 8 }, (_, n) => queue(`victim${n}@example.org`, user.id)))
  expect(others.filter(Boolean)).toHaveLength(5)
  expect(mailMetrics.suppressed - suppressed).toBe(10)

  await app.elapse(mails, 'queuedAt', 3_600_000)
  expect(await queue('ada@example.org')).toBe(true)
})

test('a worker leaves a kind alone that only a newer release knows', async () => {
  await queue('ada@example.org')
  await context.db.update(mails).set({ kind: 'of_tomorrow' })
  expect(await sendDueMails(context)).toBe(0)
  await context.db.update(mails).set({ kind: 'password_changed' })
  expect(await sendDueMails(context)).toBe(1)
})

test('a mail whose key has left SECRET_KEYS is given up after its tries, and holds up no other', async () => {
  await queue('ada@example.org')
  await context.db.update(mails).set({ keyId: 'gone', tries: 5 })
  await queue('bob@example.org')
  await sendDueMails(context)
  expect(sent).toEqual(['bob@example.org'])
  expect((await context.db.select().from(mails).where(eq(mails.address, 'ada@example.org')))[0]?.outcome).toBe(
    'given_up',
  )
})

test('sent mails are deleted after a week, those that wait never', async () => {
  await queue('ada@example.org')
  await sendDueMails(context)
  await queue('bob@example.org')
  expect(await mailQueueMetrics(context)).toMatchObject({ unsent: 1 })
  await app.elapse(mails, 'expiresAt', 7 * 86_400_000)
  await deleteExpired(context, new Date())
  expect((await context.db.select().from(mails)).map(({ address }) => address)).toEqual(['bob@example.org'])
  await context.db.delete(users)
})
