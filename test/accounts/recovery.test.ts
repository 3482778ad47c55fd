import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { mailLinks, mails, totpFactors, users } from '../../src/db/schema/index.ts'
import { signUp } from '../../src/domain/accounts/accounts.ts'
import { changeEmail, resendVerification, verifyAddress } from '../../src/domain/accounts/addresses.ts'
import { requestReset, resetPassword } from '../../src/domain/accounts/forgotten-password.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { apiScopes } from '../../src/domain/core/scopes.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { hasFactor } from '../../src/domain/factors/standing.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { answerDevice, findDevice } from '../../src/domain/oauth/device/answer.ts'
import { authorizeDevice } from '../../src/domain/oauth/device/device-authorization.ts'
import { issuePlaygroundToken } from '../../src/domain/oauth/playground-token.ts'
import { createOverlay } from '../../src/domain/overlays.ts'
import { DEVICE_CODE_GRANT } from '../../src/shared/grants.ts'
import { authenticatorOf, createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { caller, credentials, errorOf } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'

const OTHER = 'another long pass phrase'
const THIEF = 'thief@example.org'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.context.db.delete(mails))

const visitor = (address = '192.0.2.50') => ({ ...app.context, caller: caller({ address }) })
const addressOf = ({ username }: { username: string }) => `${username}@example.com`

async function mailsTo(address: string) {
  while ((await sendDueMails(app.context)) > 0);
  return app.sentMails.filter(({ to }) => to === address).map(({ text }) => text)
}
/** The token of the newest link to an address. */
async function tokenTo(address: string, path: string): Promise<string> {
  const links = (await mailsTo(address)).flatMap(({ link }) => (link?.path.startsWith(path) ? [link.path] : []))
  return links.at(-1)?.replace(/.*token=/, '') ?? ''
}
async function forgot(user: { id: string; username: string }): Promise<string> {
  await app.context.db.delete(mails)
  await requestReset(visitor(), user.username)
  await expect.poll(() => app.context.db.$count(mails)).toBeGreaterThan(0)
  const [row] = await app.context.db.select().from(users).where(eq(users.id, user.id))
  return tokenTo(row?.email ?? '', '/reset')
}
const reset = (token: string, password: string, endsCredentials = false) =>
  resetPassword(visitor(), { token, password, endsCredentials })
const dead = { code: 'invalid_request', message: expect.stringContaining('does not work any more') }

/** Somebody with a confirmed address, and a thief who knows the password and has a session. */
async function robbed() {
  const user = await app.person()
  await app.context.db.update(users).set({ emailVerifiedAt: app.context.now() }).where(eq(users.id, user.id))
  return { user, thief: await app.actingAs(user, '198.51.100.7') }
}

describe('an account that somebody else had for a moment', () => {
  test('is its owner’s again: a new password ends the link to a new address', async () => {
    for (const change of ['by a link', 'by themselves'] as const) {
      const { user, thief } = await robbed()
      const address = `${user.username}@thief.example`
      await changeEmail(thief, { email: address, password: PASSWORD })
      const link = await tokenTo(address, '/verify')
      if (change === 'by a link') await reset(await forgot(user), OTHER)
      else await changePassword(await app.actingAs(user), { current_password: PASSWORD, new_password: OTHER })
      await expect(verifyAddress(visitor(), link)).rejects.toMatchObject(dead)
      const [row] = await app.context.db.select().from(users).where(eq(users.id, user.id))
      expect(row?.email).toBe(addressOf(user))
    }
  })

  test('is taken back by the address that was replaced, within seven days, whatever came after', async () => {
    const { user, thief } = await robbed()
    for (const address of [THIEF, `second.${THIEF}`]) {
      await changeEmail(await app.actingAs(user, '198.51.100.7'), { email: address, password: PASSWORD })
      await verifyAddress(visitor(), await tokenTo(address, '/verify'))
    }
    await changePassword(thief, { current_password: PASSWORD, new_password: 'the thief has this one' })
    const told = (await mailsTo(addressOf(user))).find(({ subject }) => subject === 'Your account has another address')
    expect(JSON.stringify(told)).toContain(THIEF)
    const [back, later] = [await tokenTo(addressOf(user), '/reset'), await tokenTo(THIEF, '/reset')]
    await app.elapse(mailLinks, 'expiresAt', 6.9 * 86_400_000)

    const page = await app.newBrowser().get(`/reset?token=${back}`)
    expect(page.text).toContain(`which has the address <b>${addressOf(user)}</b> again then`)
    await reset(back, OTHER)
    const [row] = await app.context.db.select().from(users).where(eq(users.id, user.id))
    expect([row?.email, row?.emailVerifiedAt === null]).toEqual([addressOf(user), false])
    await expect(reset(later, 'the thief wants it back')).rejects.toMatchObject(dead)
    await expect(reset(back, 'works once')).rejects.toMatchObject(dead)
    await logIn(visitor(), { username: user.username, password: OTHER })
  })

  test('is not given to an address that another account has confirmed meanwhile, nor after seven days', async () => {
    const { user, thief } = await robbed()
    await changeEmail(thief, { email: `x.${THIEF}`, password: PASSWORD })
    await verifyAddress(visitor(), await tokenTo(`x.${THIEF}`, '/verify'))
    const back = await tokenTo(addressOf(user), '/reset')
    const other = await app.person()
    await app.context.db
      .update(users)
      .set({ email: addressOf(user), emailVerifiedAt: app.context.now() })
      .where(eq(users.id, other.id))
    await expect(reset(back, OTHER)).rejects.toThrow('Another account has confirmed this address.')
    await app.context.db.update(users).set({ email: null, emailVerifiedAt: null }).where(eq(users.id, other.id))
    await app.elapse(mailLinks, 'expiresAt', 7 * 86_400_000)
    await expect(reset(back, OTHER)).rejects.toMatchObject(dead)
  })

  test('is left by all that was put into it, where its owner wants that: keys, tokens, and what was added to enter it by', async () => {
    const { user, thief } = await robbed()
    const made = await createApplication(thief, { name: 'Left', confidential: true, scopes: [...apiScopes] })
    const { key } = await createKey(thief, { application_id: made.id, name: 'Left', scopes: ['channel:read'] })
    const { access_token } = await issuePlaygroundToken(thief, { application_id: made.id, stands_for: 'application' })
    const overlay = await createOverlay(thief, { name: 'Left', event_types: ['chat.message.sent'] })
    await rollStreamKey(thief)
    const { uri } = await startTotp(thief)
    await confirmTotp(thief, { code: authenticatorOf(uri, () => app.clock.at).at() })

    const token = await forgot(user)
    const { text } = await app.newBrowser().get(`/reset?token=${token}`)
    for (const what of ['Your authenticator app', 'Your recovery codes', 'Your stream key …', 'Left: overlay key …'])
      expect(text).toContain(what)
    for (const what of ['Left: API key …', 'Left: client secret …']) expect(text).toContain(what)
    await reset(token, OTHER, true)
    const statuses = [
      (await app.request('GET /v1/channels/', { token: key })).status,
      (await app.request('GET /v1/channels/', { token: access_token })).status,
      (await app.request(`GET /v1/events?key=${overlay.key}`)).status,
      (await app.forApplication({ id: made.id, secret: made.client_secret ?? undefined })).status,
    ]
    expect(statuses).toEqual([401, 401, 401, 401])
    expect(await hasFactor(app.context, user.id)).toBe(false)
    expect((await mailsTo(addressOf(user))).some(({ paragraphs }) => /last seven days/.test(String(paragraphs)))).toBe(
      true,
    )
    expect((await app.newBrowser().get(`/reset?token=${await forgot(user)}`)).text).not.toContain('go on working')
  })

  test('keeps the factors that are older: whoever reads its mails is not let in by that', async () => {
    const { user } = await app.protectedPerson()
    await app.elapse(totpFactors, 'createdAt', 7 * 86_400_000)
    await reset(await forgot(user), OTHER, true)
    expect(await hasFactor(app.context, user.id)).toBe(true)
  })

  test('gives nothing to a device that was allowed before a new password, or before its application was stopped', async () => {
    const { user } = await robbed()
    const allowed = async () => {
      const { device_code, user_code } = await authorizeDevice(visitor(), {
        scope: 'user:read',
        ...credentials(app.native),
      })
      const { principal } = await app.actingAs(user)
      const session = { ...principal.session, userId: user.id, username: user.username, authenticatedAt: app.clock.at }
      const { code } = await findDevice(visitor(), session as never, user_code)
      await answerDevice(visitor(), session as never, code, true)
      return () => app.token({ grant_type: DEVICE_CODE_GRANT, device_code, ...credentials(app.native) })
    }
    await (await allowed())()
    const redeem = await allowed()
    await revokeAllowed(await app.actingAs(user), { application_id: app.native.id })
    expect(errorOf(await redeem())).toBe('400 invalid_grant')
    const later = await allowed()
    await changePassword(await app.actingAs(user), { current_password: PASSWORD, new_password: OTHER })
    expect(errorOf(await later())).toBe('400 invalid_grant')
  })
})

describe('what a stranger can find out or take away', () => {
  test('a made-up link costs no hash: hundreds at once keep nobody from logging in', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 450 }, (_, n) => reset(`lsml_${String(n).padStart(49, '0')}`, OTHER)),
    )
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: dead })
  })

  test('failed logins do not tell which account an address belongs to', async () => {
    const { user } = await robbed()
    const ctx = { ...visitor('203.0.113.9'), counters: memoryCounters() }
    const guess = (username: string) => logIn(ctx, { username, password: 'a wrong password' }).catch(({ code }) => code)
    for (let n = 0; n < 5; n++) expect(await guess(addressOf(user))).toBe('unauthorized')
    expect(await guess(addressOf(user))).toBe('rate_limited')
    expect(await guess(user.username)).toBe('unauthorized')
  })

  test('an account that claims an address is shown the same, whether somebody has confirmed it or nobody', async () => {
    const { user: holder } = await robbed()
    const { thief: curious } = await robbed()
    const shown = async (email: string) => {
      const account = await changeEmail(curious, { email, password: PASSWORD })
      await resendVerification(curious)
      return [account.pending_email === email, account.email_verified]
    }
    expect(await shown(addressOf(holder))).toEqual(await shown('free@example.org'))
  })

  test('what strangers ask for leaves a mailbox room for what its owner asks for', async () => {
    const counters = memoryCounters()
    const email = 'newcomer@example.org'
    const from = (address: string) => ({ ...visitor(address), counters })
    for (let n = 0; n < 9; n++)
      await signUp(from('198.51.100.9'), { username: `crowd_${n}`, email, password: PASSWORD })
    await signUp(from('203.0.113.77'), { username: 'newcomer', email, password: PASSWORD })
    const told = await mailsTo(email)
    expect(told).toHaveLength(6)
    expect(JSON.stringify(told.at(-1))).toContain('newcomer')
  })
})
