import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { mint } from '../../src/domain/access/token-format.ts'
import { newSigningSecret } from '../../src/domain/webhooks/secrets/sign.ts'
import { CALLBACK, credentials, pkce } from '../support/flows.ts'
import { createTestLog, PASSWORD } from '../support/log.ts'
import { createPeopleApp, parametersOf } from '../support/people.ts'

test('no secret, code, token, password, cookie or state is logged, and no name forges a line', async () => {
  await using app = await createPeopleApp()
  const browser = await app.loggedIn()
  const { verifier, challenge } = pkce()
  const state = 'a-state-that-is-nobody-elses-business'
  const consent = await browser.get(app.askPath(app.client, { code_challenge: challenge, state }))
  const { code = '' } = parametersOf(await browser.submit(consent, '/oauth/authorize', { decision: 'allow' }))
  const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK }
  const { body } = await app.token({ ...exchange, ...credentials(app.client) })
  await app.statusOf(body.access_token)
  await app.refresh(body.refresh_token)
  await app.revoke({ token: body.access_token, ...credentials(app.client) })
  await app.token({ grant_type: 'client_credentials', client_id: 'x\n{"level":"fatal"}' })
  await app.request(`GET /v1/users/me?access_token=${body.access_token}`)

  const logged = app.lines.join('')
  expect(app.lines.length).toBeGreaterThan(8)
  const secrets = [
    code,
    verifier,
    state,
    PASSWORD,
    body.access_token,
    body.refresh_token,
    app.client.secret,
    browser.cookies.get('sid'),
    browser.cookies.get('visitor'),
    consent.forms[0]?.fields.ticket,
    consent.forms[0]?.fields.csrf,
  ]
  for (const secret of secrets) {
    expect(secret).toBeTruthy()
    expect(logged).not.toContain(secret)
  }
  for (const line of app.lines) expect(() => JSON.parse(line)).not.toThrow()
})

const signed = await new SignJWT({ sub: 'x' }).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32))
const cookies = ['sid', 'visitor'].map((name) => `__Host-${name}=${randomBytes(32).toString('base64url')}`)
const minted = (['access', 'refresh', 'code', 'secret', 'key'] as const).map(mint)

test.each([...minted, newSigningSecret(), signed, ...cookies, PASSWORD])(
  'every log of the suite is looked at for secrets: %s would be found',
  (secret) => {
    const { log, [Symbol.dispose]: dispose } = createTestLog()
    log.info({ nested: { value: `it is ${secret}, and more` } }, 'A line')
    expect(dispose).toThrow('lines of the log hold secrets')
  },
)
