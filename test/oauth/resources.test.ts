import { afterAll, beforeAll, expect, test } from 'vitest'
import { admit } from '../../src/domain/access/admission.ts'
import { caller, credentials, errorOf, pkce } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const foreign = () => [
  'https://evil.example',
  `${app.base}.evil.example`,
  `${app.base}@evil.example/`,
  '/mcp',
  'mcp',
  `${app.base}/mcp#x`,
  `${app.base}/mcp?x`,
  `${app.base}/mcp/..`,
  `${app.base}/other`,
]

/** A grant for a resource, through the pages. */
async function grantFor(resource: string | undefined, more: Record<string, string> = {}) {
  const { verifier, challenge } = pkce()
  const browser = await app.loggedIn()
  const page = await browser.get(app.askPath(app.native, { code_challenge: challenge, resource }))
  const back = await browser.submit(page, '/oauth/authorize', { decision: 'allow' })
  const { code = '' } = parametersOf(back)
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, ...credentials(app.native) }
  return { page, reply: await app.token({ ...fields, ...more }), again: () => app.token(fields) }
}

const admitAt = (resource: '' | '/mcp', token: string) =>
  admit(
    app.context,
    { kind: 'scopes', scopes: ['user:read'], by: 'anyone' },
    caller({ authorization: `Bearer ${token}`, resource }),
  ).then(
    () => 'let in',
    (problem) => problem.code,
  )

test('X01 a token for our address works at /v1, one for /mcp there alone, one for none wherever it is taken', async () => {
  const tokenFor = async (resource?: string) => {
    const { body } = await app.forApplication(app.client, { scope: 'user:read', ...(resource && { resource }) })
    return body.access_token as string
  }
  const [api, slash, mcp, any] = [
    await tokenFor(app.base),
    await tokenFor(`${app.base}/`),
    await tokenFor(`${app.base}/mcp`),
    await tokenFor(),
  ]
  for (const token of [api, slash]) {
    expect([await admitAt('', token), await admitAt('/mcp', token)]).toEqual(['let in', 'invalid_token'])
  }
  expect([await admitAt('', mcp), await admitAt('/mcp', mcp)]).toEqual(['invalid_token', 'let in'])
  expect([await admitAt('', any), await admitAt('/mcp', any)]).toEqual(['let in', 'let in'])
  for (const route of ['GET /v1/channels/', 'GET /oauth/userinfo', 'GET /trpc/categories.list?input={}'])
    expect((await app.request(route, { token: mcp })).status).toBe(401)
})

test('X02 any other resource is invalid_target: at the token, the device and the authorization endpoint', async () => {
  const browser = await app.loggedIn()
  for (const resource of foreign()) {
    expect(errorOf(await app.forApplication(app.client, { resource })), resource).toBe('400 invalid_target')
    const body = new URLSearchParams({ resource, ...credentials(app.client) })
    expect(errorOf(await app.request('POST /oauth/device_authorization', { body }))).toBe('400 invalid_target')
    expect(parametersOf(await browser.get(app.askPath(app.client, { resource }))).error).toBe('invalid_target')
  }
})

test('X03 what was allowed for a resource stays there, also after a refresh; the question says so', async () => {
  const { page, reply } = await grantFor(`${app.base}/mcp`)
  expect(page.text).toContain(`${app.base}/mcp</b> alone`)
  expect(await app.statusOf(reply.body.access_token)).toBe(401)
  const wider = await app.refresh(reply.body.refresh_token, app.native, { resource: app.base })
  expect(errorOf(wider)).toBe('400 invalid_target')
  const next = await app.refresh(reply.body.refresh_token, app.native)
  expect([next.status, await app.statusOf(next.body.access_token)]).toEqual([200, 401])
})

test('X03 the exchange cannot choose another one, and the code stays', async () => {
  const { reply, again } = await grantFor(`${app.base}/mcp`, { resource: app.base })
  expect(errorOf(reply)).toBe('400 invalid_target')
  expect((await again()).status).toBe(200)
})

test('X04 of a grant for none each token may be narrowed, for itself', async () => {
  const { reply } = await grantFor(undefined, { resource: `${app.base}/mcp` })
  expect(await app.statusOf(reply.body.access_token)).toBe(401)
  const next = await app.refresh(reply.body.refresh_token, app.native)
  expect(await app.statusOf(next.body.access_token)).toBe(200)
})
