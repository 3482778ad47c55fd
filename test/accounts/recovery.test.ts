import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { mailLinks, mails, users } from '../../src/db/schema/index.ts'
import { changeEmail, verifyAddress } from '../../src/domain/accounts/addresses.ts'
import { closeOwnAccount } from '../../src/domain/accounts/closing/close.ts'
import { reopenUser } from '../../src/domain/accounts/closing/reopen.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { keepLink, newLinkToken } from '../../src/domain/accounts/mail-links.ts'
import { changePassword, setPasswordOf } from '../../src/domain/accounts/new-password.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { apiScopes } from '../../src/domain/core/scopes.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { hasFactor } from '../../src/domain/factors/standing.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { answerDevice, findDevice } from '../../src/domain/oauth/device/answer.ts'
import { authorizeDevice } from '../../src/domain/oauth/device/device-authorization.ts'
import { issuePlaygroundToken } from '../../src/domain/oauth/playground-token.ts'
import { createOverlay } from '../../src/domain/overlays.ts'
import { DEVICE_CODE_GRANT } from '../../src/shared/grants.ts'
import { authenticatorOf } from '../factors/people.ts'
import { credentials, errorOf } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { addressOf, createRobbedApp, dead, type RobbedApp } from './robbed.ts'

const OTHER = 'another long pass phrase'
const THIEF = 'thief@example.org'

let app: RobbedApp
beforeAll(async () => {
  app = await createRobbedApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.context.db.delete(mails))

describe('an account that somebody else had for a moment', () => {
  test('is its owner’s again: a new password ends the link to a new address', async () => {
    for (const change of ['by a link', 'by themselves'] as const) {
      const { user, thief } = await app.robbed()
      const address = `${user.username}@thief.example`
      await changeEmail(thief, { email: address, password: PASSWORD })
      const link = await app.tokenTo(address, '/verify')
      if (change === 'by a link') await app.reset(await app.forgot(user), OTHER)
      else await changePassword(await app.actingAs(user), { current_password: PASSWORD, new_password: OTHER })
      await expect(verifyAddress(app.visitor(), link)).rejects.toMatchObject(dead)
      const [row] = await app.context.db.select().from(users).where(eq(users.id, user.id))
      expect(row?.email).toBe(addressOf(user))
    }
  })

  test('is taken back by the address that was replaced, within seven days, whatever came after', async () => {
    const { user, thief } = await app.robbed()
    for (const address of [THIEF, `second.${THIEF}`]) await app.moveTo(address, user)
    await changePassword(thief, { current_password: PASSWORD, new_password: 'the thief has this one' })
    const told = (await app.mailsTo(addressOf(user))).find(
      ({ subject }) => subject === 'Your account has another address',
    )
    expect(JSON.stringify(told)).toContain(THIEF)
    const back = await app.tokenTo(addressOf(user), '/reset')
    expect(await app.tokenTo(THIEF, '/reset'), 'an address of yesterday gets no way back').toBe('')
    await app.elapse(mailLinks, 'expiresAt', 6.9 * 86_400_000)

    const page = await app.newBrowser().get(`/reset?token=${back}`)
    expect(page.text).toContain(`which has the address <b>${addressOf(user)}</b> again then`)
    await app.reset(back, OTHER)
    const [row] = await app.context.db.select().from(users).where(eq(users.id, user.id))
    expect([row?.email, row?.emailVerifiedAt === null]).toEqual([addressOf(user), false])
    const lost = (await app.mailsTo(`second.${THIEF}`)).map(({ subject }) => subject)
    expect(lost).toContain('Your account has its former address again')
    await expect(app.reset(back, 'works once')).rejects.toMatchObject(dead)
    await logIn(app.visitor(), { username: user.username, password: OTHER })
  })

  test('is not given to an address that another account has confirmed meanwhile, nor after seven days', async () => {
    const { user, thief } = await app.robbed()
    await changeEmail(thief, { email: `x.${THIEF}`, password: PASSWORD })
    await verifyAddress(app.visitor(), await app.tokenTo(`x.${THIEF}`, '/verify'))
    const back = await app.tokenTo(addressOf(user), '/reset')
    const other = await app.person()
    await app.context.db
      .update(users)
      .set({ email: addressOf(user), emailVerifiedAt: app.context.now() })
      .where(eq(users.id, other.id))
    await expect(app.reset(back, OTHER)).rejects.toThrow('Another account has confirmed this address.')
    await app.context.db.update(users).set({ email: null, emailVerifiedAt: null }).where(eq(users.id, other.id))
    await app.elapse(mailLinks, 'expiresAt', 7 * 86_400_000)
    await expect(app.reset(back, OTHER)).rejects.toMatchObject(dead)
  })

  test('is left by all that was put into it, where its owner wants that: keys, tokens, and what was added to enter it by', async () => {
    const { user, thief } = await app.robbed()
    const made = await createApplication(thief, { name: 'Left', confidential: true, scopes: [...apiScopes] })
    const { key } = await createKey(thief, { application_id: made.id, name: 'Left', scopes: ['channel:read'] })
    const { access_token } = await issuePlaygroundToken(thief, { application_id: made.id, stands_for: 'application' })
    const overlay = await createOverlay(thief, { name: 'Left', event_types: ['chat.message.sent'] })
    await rollStreamKey(thief)
    const { uri } = await startTotp(thief)
    await confirmTotp(thief, { code: authenticatorOf(uri, () => app.clock.at).at() })

    const token = await app.forgot(user)
    const { text } = await app.newBrowser().get(`/reset?token=${token}`)
    for (const what of ['Your authenticator app', 'Your recovery codes', 'Your stream key …', 'Left: overlay key …'])
      expect(text).toContain(what)
    for (const what of ['Left: API key …', 'Left: client secret …']) expect(text).toContain(what)
    await app.reset(token, OTHER, true)
    const statuses = [
      (await app.request('GET /v1/channels/', { token: key })).status,
      (await app.request('GET /v1/channels/', { token: access_token })).status,
      (await app.request(`GET /v1/events?key=${overlay.key}`)).status,
      (await app.forApplication({ id: made.id, secret: made.client_secret ?? undefined })).status,
    ]
    expect(statuses).toEqual([401, 401, 401, 401])
    expect(await hasFactor(app.context, user.id)).toBe(false)
    expect(
      (await app.mailsTo(addressOf(user))).some(({ paragraphs }) => /last seven days/.test(String(paragraphs))),
    ).toBe(true)
    expect((await app.newBrowser().get(`/reset?token=${await app.forgot(user)}`)).text).not.toContain('go on working')
  })

  test('keeps the factors that are older: whoever reads its mails is not let in by that', async () => {
    const { user } = await app.protectedPerson()
    await app.elapse(users, 'protectedSince', 7 * 86_400_000)
    await app.reset(await app.forgot(user), OTHER, true)
    expect(await hasFactor(app.context, user.id)).toBe(true)
  })

  test('keeps factors that were replaced lately: what protects it is as old as the first of them', async () => {
    const { user, ctx } = await app.protectedPerson()
    await app.elapse(users, 'protectedSince', 700 * 86_400_000)
    const { uri } = await startTotp(ctx)
    app.later()
    await confirmTotp(ctx, { code: authenticatorOf(uri, () => app.clock.at).at() })
    await app.reset(await app.forgot(user), OTHER, true)
    expect(await hasFactor(app.context, user.id)).toBe(true)
  })

  test('is not given back to the thief: not by the owner who sets the address back, nor after the operator has helped', async () => {
    const { user } = await app.robbed()
    await app.moveTo(`y.${THIEF}`, user)
    await app.elapse(mailLinks, 'expiresAt', 86_400_000)
    await app.moveTo(addressOf(user), user)
    expect(await app.tokenTo(`y.${THIEF}`, '/reset')).toBe('')
    expect(await app.context.db.$count(mailLinks, eq(mailLinks.userId, user.id))).toBe(0)
    await app.moveTo(`z.${THIEF}`, user)
    const back = await app.tokenTo(addressOf(user), '/reset')
    expect(back, 'an address that is back is as established as it was').not.toBe('')
    await setPasswordOf(app.context, user.username, OTHER)
    await expect(app.reset(back, 'another one again')).rejects.toMatchObject(dead)
  })

  test('keeps its way back where the thief has its owner confirm the address once more', async () => {
    const { user, thief } = await app.robbed()
    await changeEmail(thief, { email: addressOf(user).toUpperCase(), password: PASSWORD })
    await verifyAddress(app.visitor(), await app.tokenTo(addressOf(user).toUpperCase(), '/verify'))
    await app.moveTo(`w.${THIEF}`, user)
    expect(await app.tokenTo(addressOf(user).toUpperCase(), '/reset')).not.toBe('')
  })

  test('is not closed unheard: who was replaced is told, and their way back is there once it is open again', async () => {
    const { user } = await app.robbed()
    await app.moveTo(`v.${THIEF}`, user)
    const back = await app.tokenTo(addressOf(user), '/reset')
    await closeOwnAccount(await app.actingAs(user), user)
    expect((await app.mailsTo(addressOf(user))).map(({ subject }) => subject)).toContain('Your account is deleted')
    await expect(app.reset(back, OTHER)).rejects.toMatchObject(dead)
    await reopenUser(app.context, user.username)
    await app.reset(back, OTHER)
    await logIn(app.visitor(), { username: user.username, password: OTHER })
  })

  test('is not opened by a link that its thief has asked for at the moment that the address was brought back', async () => {
    const { user } = await app.robbed()
    await app.moveTo(`u.${THIEF}`, user)
    await app.reset(await app.tokenTo(addressOf(user), '/reset'), OTHER)
    const token = newLinkToken()
    const late = { purpose: 'reset', userId: user.id, address: `u.${THIEF}` } as const
    await transact(app.context, (tx) => keepLink(tx, token, late))
    await expect(app.reset(token, 'the thief has this one')).rejects.toMatchObject(dead)
  })

  test('is not kept by ending each link that is sent to its owner before they open it', async () => {
    const { user } = await app.robbed()
    const counters = memoryCounters()
    const thief = async () => ({ ...(await app.actingAs(user)), counters })
    const anew = async () => changePassword(await thief(), { current_password: PASSWORD, new_password: PASSWORD })
    const elsewhere = async () => changeEmail(await thief(), { email: `k.${THIEF}`, password: PASSWORD })
    for (let changes = 0; changes < 5; changes++) {
      await anew()
      await elsewhere()
    }
    const link = await app.forgot(user)
    for (const end of [anew, elsewhere]) await expect(end()).rejects.toMatchObject({ code: 'rate_limited' })
    await app.reset(link, OTHER)
    await logIn(app.visitor(), { username: user.username, password: OTHER })
  })

  test('is not taken by whoever reads an old mailbox, where a second factor was shown to leave it', async () => {
    const { user, ctx } = await app.protectedPerson()
    await app.context.db
      .update(users)
      .set({ emailVerifiedAt: app.daysAgo(30), protectedSince: app.daysAgo(30) })
      .where(eq(users.id, user.id))
    await changeEmail(ctx, { email: `safe.${addressOf(user)}`, password: PASSWORD })
    await verifyAddress(app.visitor(), await app.tokenTo(`safe.${addressOf(user)}`, '/verify'))
    expect(await app.tokenTo(addressOf(user), '/reset')).toBe('')
  })

  test('gives nothing to a device that was allowed before a new password, or before its application was stopped', async () => {
    const { user } = await app.robbed()
    const allowed = async () => {
      const { device_code, user_code } = await authorizeDevice(app.visitor(), {
        scope: 'user:read',
        ...credentials(app.native),
      })
      const { principal } = await app.actingAs(user)
      const session = { ...principal.session, userId: user.id, username: user.username, authenticatedAt: app.clock.at }
      const { code } = await findDevice(app.visitor(), session as never, user_code)
      await answerDevice(app.visitor(), session as never, code, true)
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
