import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { findSession } from '../../src/domain/access/sessions.ts'
import { completeLoginByPasskey, logInByPasskey } from '../../src/domain/accounts/passkey-login.ts'
import { stepUp, stepUpWays } from '../../src/domain/accounts/step-up.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { listFactors } from '../../src/domain/factors/list.ts'
import { passkeyRequest } from '../../src/domain/factors/passkey-assertion.ts'
import { finishPasskey, startPasskey } from '../../src/domain/factors/passkey-registration.ts'
import { removePasskey, renamePasskey } from '../../src/domain/factors/passkeys.ts'
import { createFactorsApp, type FactorsApp } from './people.ts'
import { softwarePasskey } from './software-passkey.ts'

const ORIGIN = 'https://api.example'
let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp({ publicUrl: ORIGIN })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Somebody with a passkey, and the session in which it was made. */
async function withPasskey() {
  const user = await app.person()
  const ctx = await app.actingAs(user)
  const passkey = softwarePasskey(ORIGIN)
  const made = await finishPasskey(ctx, { name: 'Phone', response: passkey.create(await startPasskey(ctx)) })
  return { user, ctx, passkey, made }
}
const stranger = async () => {
  const { caller } = await app.actingAs(await app.person())
  return { ...app.context, caller: { ...caller, session: undefined } }
}
/** What a login page asks this visitor's browser. */
async function asked(secret = 'visitor') {
  const request = await passkeyRequest(app.context, 'login', { secret })
  if (!request) throw new Error('There are no passkeys here')
  return request
}
const logIn = async (assertion: object, visitor = 'visitor') =>
  logInByPasskey(await stranger(), visitor, JSON.stringify(assertion))
const refused = { code: 'unauthorized' }

test('a passkey that verifies its user logs in alone, and the session says so', async () => {
  const { user, passkey, made } = await withPasskey()
  expect(made.recovery_codes).toHaveLength(10)
  const secret = await logIn(passkey.get(await asked()))
  expect(await findSession(app.context, secret)).toMatchObject({ userId: user.id, amr: ['hwk'] })
})

test('what a passkey has signed counts once, for its visitor, its use, its origin, and with its user verified', async () => {
  const { passkey } = await withPasskey()
  const used = passkey.get(await asked())
  await logIn(used)
  await expect(logIn(used)).rejects.toMatchObject(refused)
  const others = [
    passkey.get(await asked('another visitor')),
    passkey.get(await asked(), { origin: 'https://evil.example' }),
    passkey.get({ ...(await asked()), rpId: 'evil.example' }),
    passkey.get(await asked(), { isVerified: false }),
    passkey.get({ ...(await asked()), challenge: Buffer.from('made up').toString('base64url') }),
    { ...softwarePasskey(ORIGIN).get(await asked()), id: passkey.id, rawId: passkey.id },
    softwarePasskey(ORIGIN).get(await asked()),
  ]
  for (const assertion of others) await expect(logIn(assertion)).rejects.toMatchObject(refused)
  for (const text of ['', '{', '[]', '{"id":1}'])
    await expect(logInByPasskey(await stranger(), 'visitor', text)).rejects.toMatchObject(refused)
  const late = passkey.get(await asked())
  app.later(11)
  await expect(logIn(late)).rejects.toMatchObject(refused)
})

test('guesses count for their own passkey: with wrong ones nobody keeps the others behind the same address out', async () => {
  const [victim, other] = [await withPasskey(), await withPasskey()]
  const ctx = { ...(await stranger()), counters: memoryCounters() }
  const attempt = async (assertion: object) => logInByPasskey(ctx, 'visitor', JSON.stringify(assertion))
  const { points } = rateLimits.loginAccount
  for (let n = 0; n < points; n++) await expect(attempt({})).rejects.toMatchObject(refused)
  const wrong = async () => victim.passkey.get(await asked('another visitor'))
  for (let n = 0; n < points; n++) await expect(attempt(await wrong())).rejects.toMatchObject(refused)
  await expect(attempt(await wrong())).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await attempt(other.passkey.get(await asked()))).toEqual(expect.any(String))

  const here = { ...other.ctx, counters: ctx.counters }
  const { passkey } = await stepUpWays(here)
  if (!passkey) throw new Error('There are no passkeys here')
  await stepUp(here, { passkey: other.passkey.get(passkey) })
})

test('a counter that does not go up is that of a copy, also of two at once; a passkey that never counts is taken', async () => {
  const { passkey } = await withPasskey()
  await logIn(passkey.get(await asked(), { counter: 7 }))
  await expect(logIn(passkey.get(await asked(), { counter: 7 }))).rejects.toMatchObject(refused)
  await expect(logIn(passkey.get(await asked(), { counter: 0 }))).rejects.toMatchObject(refused)
  const copies = await Promise.all([1, 2, 3, 4].map(async () => passkey.get(await asked(), { counter: 8 })))
  const outcomes = await Promise.allSettled(copies.map((copy) => logIn(copy)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)

  const { passkey: silent } = await withPasskey()
  await logIn(silent.get(await asked(), { counter: 0 }))
  await logIn(silent.get(await asked(), { counter: 0 }))
})

test('as second factor it is asked for after the password, and one of another account opens nothing', async () => {
  const { user, passkey } = await withPasskey()
  const { passkey: foreign } = await withPasskey()
  const half = async () => {
    const browser = app.newBrowser()
    await app.logIn(browser, user.username)
    return browser.cookies.get('__Host-login') ?? ''
  }
  const requestFor = async (secret: string) =>
    (await passkeyRequest(app.context, 'second step', { secret, userId: user.id })) ?? (await asked())
  const secret = await half()
  const complete = async (assertion: object, pending = secret) =>
    completeLoginByPasskey(await stranger(), pending, JSON.stringify(assertion))
  await expect(complete(foreign.get(await requestFor(secret)))).rejects.toMatchObject(refused)
  await expect(complete(passkey.get(await asked(secret)))).rejects.toMatchObject(refused)
  await expect(complete(passkey.get(await requestFor(await half())))).rejects.toMatchObject(refused)
  const session = await findSession(app.context, await complete(passkey.get(await requestFor(secret))))
  expect(session).toMatchObject({ userId: user.id, amr: ['pwd', 'hwk'] })
})

test('a passkey is made in the session that asked for it, once, and by a verified user', async () => {
  const { ctx, passkey } = await withPasskey()
  const other = await app.actingAs(await app.person())
  const response = softwarePasskey(ORIGIN).create(await startPasskey(ctx))
  await expect(finishPasskey(other, { name: 'x', response })).rejects.toMatchObject({ code: 'invalid_request' })
  await finishPasskey(ctx, { name: 'Key', response: softwarePasskey(ORIGIN).create(await startPasskey(ctx)) })
  const again = passkey.create(await startPasskey(other))
  await expect(finishPasskey(other, { name: 'x', response: again })).rejects.toThrow('known already')
  const unverified = softwarePasskey(ORIGIN).create(await startPasskey(ctx), { isVerified: false })
  await expect(finishPasskey(ctx, { name: 'x', response: unverified })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  for (const broken of [{}, { id: 'x' }, { response: { attestationObject: 7 } }])
    await expect(finishPasskey(ctx, { name: 'x', response: broken as never })).rejects.toMatchObject({
      code: 'invalid_request',
    })
})

test('an attestation with certificates is not looked into: its lists of revocations would be fetched from anywhere', async () => {
  const { ctx } = await withPasskey()
  const statement = new Map<string, unknown>([
    ['alg', -7],
    ['sig', Buffer.alloc(64)],
    ['x5c', [Buffer.alloc(300)]],
  ])
  for (const fmt of ['packed', 'tpm', 'android-key', 'android-safetynet', 'fido-u2f', 'apple']) {
    const attestation = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', statement],
    ])
    const response = softwarePasskey(ORIGIN).create(await startPasskey(ctx), {}, attestation)
    const failure = await finishPasskey(ctx, { name: 'x', response }).catch((error: Error) => error)
    expect((failure as Error).cause).toMatchObject({ message: `attestation of the format ${fmt}` })
  }
})

test('passkeys have names, and go one by one; of the last one the recovery codes go with it', async () => {
  const { ctx } = await withPasskey()
  await finishPasskey(ctx, { name: 'Key', response: softwarePasskey(ORIGIN).create(await startPasskey(ctx)) })
  const [phone, key] = (await listFactors(ctx)).passkeys
  await renamePasskey(ctx, { id: phone?.id ?? '', name: 'Old phone' })
  expect((await listFactors(ctx)).passkeys.map(({ name }) => name)).toEqual(['Old phone', 'Key'])
  const other = await app.actingAs(await app.person())
  await expect(removePasskey(other, { id: key?.id ?? '' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(renamePasskey(other, { id: key?.id ?? '', name: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  await removePasskey(ctx, { id: phone?.id ?? '' })
  expect((await listFactors(ctx)).recovery_codes?.left).toBe(10)
  await removePasskey(ctx, { id: key?.id ?? '' })
  expect(await listFactors(ctx)).toEqual({ totp: null, passkeys: [], recovery_codes: null })
})

test('a step-up by passkey is for the session that asked, and for the passkeys of its own account', async () => {
  const { ctx, passkey, user } = await withPasskey()
  const { passkey: foreign, ctx: others } = await withPasskey()
  const request = async (of: typeof ctx) => {
    const { passkey: options } = await stepUpWays(of)
    if (!options) throw new Error('There are no passkeys here')
    return options
  }
  const wrong = { code: 'invalid_request' }
  await expect(stepUp(ctx, { passkey: foreign.get(await request(ctx)) })).rejects.toMatchObject(wrong)
  await expect(stepUp(ctx, { passkey: passkey.get(await request(others)) })).rejects.toMatchObject(wrong)
  await expect(stepUp(await app.actingAs(user), { passkey: passkey.get(await request(ctx)) })).rejects.toMatchObject(
    wrong,
  )
  await stepUp(ctx, { passkey: passkey.get(await request(ctx)) })
  expect((await findSession(app.context, ctx.caller.session))?.amr).toEqual(['pwd', 'hwk'])
})

test('at an address without a name there are none, and the login page offers none', async () => {
  const bare = { ...app.context, publicUrl: 'http://127.0.0.1:3000' }
  expect(await passkeyRequest(bare, 'login', { secret: 'visitor' })).toBeUndefined()
  const ctx = { ...(await app.actingAs(await app.person())), publicUrl: 'http://api.example' }
  await expect(startPasskey(ctx)).rejects.toThrow('PUBLIC_URL')
  const page = await app.newBrowser().get('/login')
  expect(page.text).toContain('data-passkey')
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
})
