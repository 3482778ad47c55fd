import { expect, test } from 'vitest'
import { type Limit, memoryCounters } from '../../src/counters/counters.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { createOAuthApp, credentials, errorOf } from '../support/flows.ts'
import { createPeopleApp } from '../support/people.ts'

const createThrottled = (trustProxy = 0) => createOAuthApp({ counters: memoryCounters(), trustProxy })
const grant = { grant_type: 'client_credentials' }

test('R01 after 20 failures of one client the next try is 429, right or wrong; others are not touched', async () => {
  await using app = await createThrottled()
  const wrong = { ...grant, client_id: app.client.id, client_secret: mint('secret') }
  for (let n = 0; n < 20; n++) expect(errorOf(await app.token(wrong))).toBe('401 invalid_client')
  for (const fields of [wrong, { ...grant, ...credentials(app.client) }]) {
    const reply = await app.token(fields)
    expect(errorOf(reply)).toBe('429 rate_limited')
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect(reply.headers.get('cache-control')).toBe('no-store')
  }
  expect(errorOf(await app.revoke({ token: 'x', ...credentials(app.client) }))).toBe('429 rate_limited')
  expect(errorOf(await app.refresh(mint('refresh')))).toBe('429 rate_limited')
  expect((await app.forApplication(app.other)).status).toBe(200)
})

test('R01 unknown clients count alike, and a success is no failure', async () => {
  await using app = await createThrottled()
  const unknown = { ...grant, client_id: 'x'.repeat(500), client_secret: 'y' }
  for (let n = 0; n < 20; n++) expect(errorOf(await app.token(unknown))).toBe('401 invalid_client')
  expect(errorOf(await app.token(unknown))).toBe('429 rate_limited')
  for (let n = 0; n < 25; n++) expect((await app.forApplication()).status).toBe(200)
})

test('R01 requests that name no client are not counted', async () => {
  await using app = await createThrottled()
  for (let n = 0; n < 25; n++) expect(errorOf(await app.token(grant))).toBe('401 invalid_client')
})

test('R01 R04 other addresses are not touched; the address is the socket’s unless a proxy is trusted', async () => {
  await using app = await createThrottled(1)
  const from = (address: string) => ({ 'x-forwarded-for': `6.6.6.6, ${address}` })
  const wrong = { ...grant, client_id: app.client.id }
  for (let n = 0; n < 20; n++) await app.token(wrong, from('192.0.2.1'))
  expect(errorOf(await app.token(wrong, from('192.0.2.1')))).toBe('429 rate_limited')
  expect((await app.token({ ...grant, ...credentials(app.client) }, from('192.0.2.2'))).status).toBe(200)

  await using strict = await createThrottled(0)
  const own = { ...grant, client_id: strict.client.id }
  for (let n = 0; n < 20; n++) await strict.token(own, from(`192.0.2.${n}`))
  expect(errorOf(await strict.token(own, from('192.0.2.99')))).toBe('429 rate_limited')
})

/** As if so many had been issued in this minute. */
const issued = (name: string, points: number) => {
  const counters = memoryCounters()
  return {
    ...counters,
    take: (limit: Limit, key: string) =>
      limit.name === name ? counters.take({ ...limit, points: limit.points - points }, key) : counters.take(limit, key),
    peek: (limit: Limit, key: string | Buffer) =>
      limit.name === name ? counters.peek({ ...limit, points: limit.points - points }, key) : counters.peek(limit, key),
  }
}

test('R01 an application gets 600 tokens of its own in a minute; others, and failures, are not counted with it', async () => {
  await using app = await createOAuthApp({ counters: issued('application-tokens', 598) })
  for (let n = 0; n < 3; n++) await app.token({ ...grant, client_id: app.client.id, client_secret: mint('secret') })
  for (let n = 0; n < 2; n++) expect((await app.forApplication()).status).toBe(200)
  const refused = await app.forApplication()
  expect([errorOf(refused), Number(refused.headers.get('retry-after')) > 0]).toEqual(['429 rate_limited', true])
  expect((await app.forApplication(app.other)).status).toBe(200)
  const stranger = await app.token({ ...grant, client_id: app.client.id, client_secret: mint('secret') })
  expect(errorOf(stranger)).toBe('401 invalid_client') // who has not proved who it is does not learn of the limit
})

test('R01 a user gets 120 tokens of an application in a minute; what is refused is not used up, other users are served', async () => {
  await using app = await createOAuthApp({ counters: issued('user-tokens', 118) })
  const [ada, eve] = [app.ada, await app.user('eve')]
  const exchange = async (user: { id: string; username: string }) =>
    app.token(await app.newCode(undefined, undefined, user))
  const first = await exchange(ada)
  const second = await app.refresh(first.body.refresh_token)
  expect(errorOf(await app.refresh(second.body.refresh_token))).toBe('429 rate_limited')
  expect((await exchange(eve)).status).toBe(200)
})

test('R01 authorization requests are counted, by address and by who is logged in', async () => {
  await using app = await createPeopleApp({ counters: issued('authorization-address', 599) })
  const ask = () => app.newBrowser().get(app.askPath(app.client))
  expect((await ask()).status).toBe(200)
  const refused = await ask()
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await (await app.loggedIn()).get(app.askPath(app.client))).status).toBe(200)
})
