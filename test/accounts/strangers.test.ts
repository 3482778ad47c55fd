import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { mails, users } from '../../src/db/schema/index.ts'
import { signUp } from '../../src/domain/accounts/accounts.ts'
import { changeEmail, resendVerification } from '../../src/domain/accounts/addresses.ts'
import { requestReset } from '../../src/domain/accounts/forgotten-password.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import { PASSWORD } from '../support/log.ts'
import { addressOf, createRobbedApp, dead, type RobbedApp } from './robbed.ts'

const OTHER = 'another long pass phrase'

let app: RobbedApp
beforeAll(async () => {
  app = await createRobbedApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.context.db.delete(mails))

describe('what a stranger can find out or take away', () => {
  test('a made-up link costs no hash: hundreds at once keep nobody from logging in', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 450 }, (_, n) => app.reset(`lsml_${String(n).padStart(49, '0')}`, OTHER)),
    )
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: dead })
  })

  test('failed logins do not tell which account an address belongs to', async () => {
    const { user } = await app.robbed()
    const ctx = { ...app.visitor('203.0.113.9'), counters: memoryCounters() }
    const guess = (username: string) => logIn(ctx, { username, password: 'a wrong password' }).catch(({ code }) => code)
    for (let n = 0; n < 5; n++) expect(await guess(addressOf(user))).toBe('unauthorized')
    expect(await guess(addressOf(user))).toBe('rate_limited')
    expect(await guess(user.username)).toBe('unauthorized')
  })

  test('an account that claims an address is shown the same, whether somebody has confirmed it or nobody', async () => {
    const { user: holder } = await app.robbed()
    const { thief: curious } = await app.robbed()
    const shown = async (email: string) => {
      const account = await changeEmail(curious, { email, password: PASSWORD })
      await resendVerification(curious)
      return [account.pending_email === email, account.email_verified]
    }
    expect(await shown(addressOf(holder))).toEqual(await shown('free@example.org'))
  })

  test('an account that only claims an address leaves its owner every notice, and strangers every link', async () => {
    const { user } = await app.robbed()
    const claimant = await app.person()
    await app.context.db
      .update(users)
      .set({ email: `${user.username}+x@example.com` })
      .where(eq(users.id, claimant.id))
    let password = PASSWORD
    for (let n = 0; n < 6; n++) {
      const next = `${PASSWORD} ${n}`
      await changePassword(await app.actingAs(claimant), { current_password: password, new_password: next })
      password = next
    }
    await changePassword(await app.actingAs(user), { current_password: PASSWORD, new_password: OTHER })
    const told = (await app.mailsTo(addressOf(user))).map(({ subject }) => subject)
    expect(told).toContain('Your password was changed')

    const counters = memoryCounters()
    const ask = (address: string) => requestReset({ ...app.visitor(address), counters }, user.username)
    const isReset = eq(mails.kind, 'reset_password')
    for (let n = 0; n < 7; n++) await ask('198.51.100.9')
    await expect.poll(() => app.context.db.$count(mails, isReset)).toBe(4)
    await ask('203.0.113.77')
    await expect.poll(() => app.context.db.$count(mails, isReset)).toBe(5)
  })

  test('whoever has a whole site of networks fills no mailbox by asking from each of them', async () => {
    const { user } = await app.robbed()
    const counters = memoryCounters()
    const ask = (address: string) => requestReset({ ...app.visitor(address), counters }, user.username)
    for (let n = 1; n < 8; n++) await ask(`2001:db8:7:${n}::1`)
    const isReset = eq(mails.kind, 'reset_password')
    await expect.poll(() => app.context.db.$count(mails, isReset)).toBe(4)
    await ask('2001:db8:8::1')
    await expect.poll(() => app.context.db.$count(mails, isReset)).toBe(5)
  })

  test('an address that is only claimed is told of no other: it may be a stranger’s, and whoever claims it writes nobody by us', async () => {
    const user = await app.person()
    await changeEmail(await app.actingAs(user), { email: 'Call-0800-now!@example.org', password: PASSWORD })
    expect(await app.mailsTo(addressOf(user))).toEqual([])
    expect(await app.mailsTo('Call-0800-now!@example.org')).toHaveLength(1)
  })

  test('what strangers ask for leaves a mailbox room for what its owner asks for', async () => {
    const counters = memoryCounters()
    const email = 'newcomer@example.org'
    const from = (address: string) => ({ ...app.visitor(address), counters })
    for (let n = 0; n < 9; n++)
      await signUp(from('198.51.100.9'), { username: `crowd_${n}`, email, password: PASSWORD })
    await signUp(from('203.0.113.77'), { username: 'newcomer', email, password: PASSWORD })
    const told = await app.mailsTo(email)
    expect(told).toHaveLength(5)
    expect(JSON.stringify(told.at(-1))).toContain('newcomer')
  })
})
