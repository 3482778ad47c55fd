import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { clients } from '../../src/db/schema/index.ts'
import { ClientDocuments } from '../../src/domain/oauth/client/client-documents.ts'
import { CALLBACK, pkce } from '../support/flows.ts'
import { createPeopleApp, parametersOf } from '../support/people.ts'
import { createSite, documentOf, NAME, type Served, STRANGER } from './document-site.ts'

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(setImmediate)
}

test('U01 U05 an application that describes itself: asked each time, its tokens name it by its address', async () => {
  await using site = await createSite()
  await using app = await createPeopleApp({ clientDocuments: site.documents })
  const client = { id: site.url, secret: undefined }
  const { verifier, challenge } = pkce()
  const path = app.askPath(client, { redirect_uri: CALLBACK, scope: 'openid user:read', code_challenge: challenge })
  const browser = await app.loggedIn()
  const question = await browser.get(path)
  expect(question.text).toContain('not registered here')
  expect(question.text).toContain(new URL(site.base).host)
  expect(
    await app.context.db
      .select()
      .from(clients)
      .then((rows) => rows.some((row) => row.metadataUrl)),
  ).toBe(false)
  const { code = '' } = parametersOf(await browser.submit(question, '/oauth/authorize', { decision: 'allow' }))
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: site.url }
  const { status, body } = await app.token(fields)
  expect([status, decodeJwt(body.id_token).aud, await app.statusOf(body.access_token)]).toEqual([200, site.url, 200])
  expect((await app.refresh(body.refresh_token, client)).status).toBe(200)
  expect((await browser.get(path)).text).toContain('Allow')
  await app.context.db.update(clients).set({ disabledAt: new Date() })
  expect([(await browser.get(path)).status, await app.statusOf(body.access_token)]).toEqual([400, 401])
})

test('U02 what is no such address, or may not be reached, is refused without a request', async () => {
  await using site = await createSite()
  const wrong = [
    'https://',
    'https://hooks.example.com',
    `${site.base}/`,
    `${site.url}#x`,
    `${site.base}/a/../client.json`,
  ]
  for (const url of [...wrong, site.url.replace('https', 'HTTPS'), site.url.replace('//', '//user@')])
    expect(await site.find(url), url).toContain('client_id:')
  const strict = new ClientDocuments({ allowPrivate: false, allowCidrs: [], proxyUrl: undefined })
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '2130706433'])
    await expect(strict.find(`https://${host}/client.json`, STRANGER)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  expect(site.asked).toBe(0)
})

test.each<[string, (url: string) => Served]>([
  ['a redirect', () => ({ status: 302, headers: { location: 'https://hooks.example.com/other' } })],
  ['another status', () => ({ status: 404 })],
  ['what is no JSON', () => ({ document: '<html>' })],
  ['more than 64 KiB', (url) => ({ document: documentOf(url, { padding: 'x'.repeat(70_000) }) })],
  ['another client_id', (url) => ({ document: documentOf(`${url}?x`) })],
  ['a secret', (url) => ({ document: documentOf(url, { token_endpoint_auth_method: 'client_secret_basic' }) })],
  ['no redirect address', (url) => ({ document: documentOf(url, { redirect_uris: [] }) })],
  [
    'a script as redirect address',
    (url) => ({ document: documentOf(url, { redirect_uris: ['javascript:alert(1)'] }) }),
  ],
  [
    'a name that turns the text around',
    (url) => ({ document: documentOf(url, { client_name: 'A \u202elaiciffo\u202c' }) }),
  ],
  ['an invisible character in its name', (url) => ({ document: documentOf(url, { client_name: 'A\u200bclient' }) })],
  ['a name of several lines', (url) => ({ document: documentOf(url, { client_name: 'A client\nCall us' }) })],
  ['a name that nobody sees', (url) => ({ document: documentOf(url, { client_name: '\u2800' }) })],
])('U03 a document is refused for %s', async (_what, answer) => {
  await using site = await createSite(answer)
  expect(await site.find()).toContain('client_id:')
  expect(site.asked).toBe(1)
})

test('U04 a document is kept as its Cache-Control says, a wrong one for a minute, and asked for once at a time', async () => {
  let control = 'max-age=100'
  let status = 200
  await using site = await createSite((url) => ({
    status,
    headers: { 'cache-control': control },
    document: documentOf(url),
  }))
  /** Asked a day later nothing is used while a new one is fetched. */
  const askedAfter = async (ms: number) => {
    site.now += ms
    await site.find()
    return site.asked
  }
  await Promise.all([site.find(), site.find(), site.find()])
  expect([site.asked, await askedAfter(99_000), await askedAfter(102_000)]).toEqual([1, 1, 2])
  control = 'max-age=99999999'
  expect([await askedAfter(201_000), await askedAfter(86_399_000), await askedAfter(3_602_000)]).toEqual([3, 3, 4])
  control = 'no-store'
  status = 500
  expect([await askedAfter(90_001_000), await askedAfter(59_000), await askedAfter(2_000)]).toEqual([5, 5, 6])
})

test('U04 what is just past its time is used while one new one is fetched, which then takes its place; what must not be kept is not', async () => {
  let letGo = () => {}
  let name = NAME
  let control = 'max-age=100'
  let held = Promise.resolve()
  await using site = await createSite(async (url) => {
    await held
    return { headers: { 'cache-control': control }, document: documentOf(url, { client_name: name }) }
  })
  expect(await site.find()).toBe('found')
  held = new Promise((resolve) => {
    letGo = resolve
  })
  name = 'Another name'
  site.now += 101_000
  expect([await site.find(), await site.find()]).toEqual(['found', 'found'])
  await until(() => site.asked > 1)
  control = 'no-store'
  letGo()
  while ((await site.find()) === 'found') await new Promise(setImmediate)
  expect([await site.find(), await site.find()]).toEqual(['Another name', 'Another name'])
  expect(site.asked).toBeGreaterThan(3)
})

test('U06 a stranger who names sites that never answer takes no place from others, wherever they are', async () => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await using site = await createSite(async (url) => {
    if (url.includes('tar')) await held
    return { document: documentOf(url) }
  })
  const flood = (prefix: string, n: number, address: string) => site.find(`${site.base}/tar-${prefix}${n}`, { address })
  const stuck = Array.from({ length: 50 }, (_, n) => flood('a', n, '198.51.100.7'))
  const ofSite = Array.from({ length: 50 }, (_, n) => flood('b', n, `2001:db8:1:${n}::1`))
  expect(await flood('c', 1, '198.51.100.7')).toContain('Too many')
  for (let n = 0; n < 20; n++)
    expect(await site.find(`${site.base}/other-${n}`, { address: '203.0.113.9' })).toBe('found')
  letGo()
  const refused = async (asked: Promise<string>[]) => (await Promise.all(asked)).filter((one) => one !== 'found').length
  expect([await refused(stuck), await refused(ofSite)]).toEqual([46, 42])
  expect(await flood('d', 1, '198.51.100.7')).toBe('found')
})

test('U07 applications that strangers name push out none that somebody has allowed, and one network names a few in a minute', async () => {
  await using site = await createSite()
  const isAllowed = true
  expect(await site.find()).toBe('found')
  expect(await site.find(site.url, { isAllowed })).toBe('found')
  for (let n = 0; n < 520; n += 10)
    await Promise.all(Array.from({ length: 10 }, (_, more) => site.find(`${site.base}/stranger-${n + more}`)))
  const asked = site.asked
  expect(await site.find(site.url, { isAllowed })).toBe('found')
  expect(site.asked).toBe(asked)

  await using app = await createPeopleApp({ clientDocuments: site.documents, counters: memoryCounters() })
  const askFor = async (path: string) => {
    const asking = { redirect_uri: CALLBACK, scope: 'user:read', code_challenge: pkce().challenge }
    const { status } = await app.newBrowser().get(app.askPath({ id: `${site.base}${path}`, secret: undefined }, asking))
    return status
  }
  const statuses: number[] = []
  for (let n = 0; n < 61; n++) statuses.push(await askFor(`/new-${n}`))
  expect([statuses.filter((status) => status === 429).length, statuses.at(-1)]).toEqual([1, 429])
  expect(await askFor('/new-0')).toBe(statuses[0])
})
