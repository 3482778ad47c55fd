import { afterAll, expect, test } from 'vitest'
import { authorizationCodes, clients, deviceCodes } from '../../../src/db/schema/index.ts'
import { DEVICE_CODE_GRANT } from '../../../src/shared/grants.ts'
import { credentials, errorOf, type Fields } from '../../support/flows.ts'
import { createDeviceApp } from '../device/support.ts'
import { newKey, proofFor, TOKEN } from './proofs.ts'

const app = await createDeviceApp()
afterAll(() => app[Symbol.asyncDispose]())
await app.context.db.update(clients).set({ dpopBound: true })
const key = await newKey()

const proof = () => proofFor(app.base, TOKEN, { by: key })
const ask = async (fields: Fields, dpop?: string) => {
  const reply = await app.token(fields, dpop === undefined ? {} : { dpop })
  return reply.status === 200 ? '200' : errorOf(reply)
}
const own = { grant_type: 'client_credentials', ...credentials(app.client) }
/** What is said without a proof, with one, and then of that one when it comes with what is right. */
const told = async (fields: Fields) => {
  const dpop = await proof()
  return [await ask(fields), await ask(fields, dpop), await ask(own, dpop)]
}
const UNPROVEN = '400 invalid_dpop_proof'

test('T22 a proof is judged before an expired code and a wider scope, and spent though these are refused', async () => {
  const { body } = await app.token(await app.newCode(), { dpop: await proof() })
  const expired = await app.newCode()
  await app.elapse(authorizationCodes, 'expiresAt', 61_000)
  expect(await told(expired)).toEqual([UNPROVEN, '400 invalid_grant', UNPROVEN])
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...credentials(app.client) }
  for (const wider of [refresh, own]) {
    expect(await told({ ...wider, scope: 'openid' })).toEqual([UNPROVEN, '400 invalid_scope', UNPROVEN])
  }
})

test('T22 it comes behind the client and behind whose code or token it is, and is not spent by what these are', async () => {
  const refresh = { grant_type: 'refresh_token', ...credentials(app.client) }
  const { code } = await app.newCode(app.other)
  for (const [fields, refusal] of [
    [{ ...own, client_secret: 'x' }, '401 invalid_client'],
    [{ ...(await app.newCode()), code: code ?? '' }, '400 invalid_grant'],
    [{ ...refresh, refresh_token: 'x' }, '400 invalid_grant'],
  ] as const) {
    expect(await told(fields)).toEqual([refusal, refusal, '200'])
  }
})

test('T22 a device that waits, or has waited in vain, spends none', async () => {
  const { device_code } = await app.begin(app.native)
  const fields = { grant_type: DEVICE_CODE_GRANT, device_code, ...credentials(app.native) }
  const dpop = await proof()
  expect(await ask(fields, dpop)).toBe('400 authorization_pending')
  await app.elapse(deviceCodes, 'expiresAt', 3_600_000)
  expect(await ask(fields, dpop)).toBe('400 expired_token')
  expect(await ask(own, dpop)).toBe('200')
})
