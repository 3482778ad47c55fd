import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from '../../../src/db/schema/index.ts'
import type { Scope } from '../../../src/domain/core/scopes.ts'
import { createOAuthApp, errorOf, type OAuthApp } from '../../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const tokenWith = (...scopes: Scope[]) => app.newGrant(app.client, scopes).then(({ access_token }) => access_token)
const userInfo = (token?: string, method = 'GET') => app.request(`${method} /oauth/userinfo`, { token })

test('O11 userinfo tells by scope, flat, by GET and by POST', async () => {
  const profile = { preferred_username: 'ada', profile: `${app.base}/v1/channels/ada`, updated_at: expect.any(Number) }
  const email = { email: 'ada@example.com', email_verified: false }
  const expected: [Scope[], object][] = [
    [['openid'], {}],
    [['openid', 'profile'], profile],
    [['openid', 'email'], email],
    [['openid', 'profile', 'email', 'user:read'], { ...profile, ...email }],
  ]
  for (const [scopes, claims] of expected) {
    for (const method of ['GET', 'POST']) {
      const { status, body, headers } = await userInfo(await tokenWith(...scopes), method)
      expect([status, body]).toEqual([200, { sub: app.ada.id, ...claims }])
      expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['no-store', '*'])
    }
  }
})

test('O11 a picture is told of where there is one', async () => {
  const imageUrl = 'https://img.example.com/ada.png'
  await app.context.db.update(users).set({ imageUrl }).where(eq(users.id, app.ada.id))
  expect((await userInfo(await tokenWith('openid', 'profile'))).body.picture).toBe(imageUrl)
})

test('O11 email_verified is true when the address was confirmed', async () => {
  await app.context.db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, app.ada.id))
  expect((await userInfo(await tokenWith('openid', 'email'))).body.email_verified).toBe(true)
})

test('O12 userinfo wants a token of a user with openid, which opens nothing of the API by itself', async () => {
  expect(errorOf(await userInfo())).toBe('401 unauthorized')
  const refused = await userInfo(await tokenWith('user:read', 'profile'))
  expect(errorOf(refused)).toBe('403 insufficient_scope')
  expect(refused.headers.get('www-authenticate')).toContain('scope="openid"')
  expect(errorOf(await userInfo((await app.forApplication()).body.access_token))).toBe('403 insufficient_scope')
  expect(await app.statusOf(await tokenWith('openid', 'profile', 'email'))).toBe(403)
})
