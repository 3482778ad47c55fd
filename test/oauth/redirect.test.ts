import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestClient } from '../support/context.ts'
import { CALLBACK } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const ask = (changes: Record<string, string | undefined> = {}, client: TestClient = app.client) =>
  app.newBrowser().get(app.askPath(client, changes))

/** Refused where the browser is: no redirect may follow a request whose target is not known to be right. */
const inPlace = async (reply: ReturnType<typeof ask>) => {
  const { status, location } = await reply
  return `${status} ${location ?? 'in place'}`
}

describe('A02 the redirect address is letter for letter a registered one (CVE-2023-6291, CVE-2024-1132, CVE-2020-15233)', () => {
  test.each([
    `${CALLBACK}/`,
    `${CALLBACK}?x=1`,
    `${CALLBACK}#x`,
    'https://client.example/Callback',
    'https://CLIENT.example/callback',
    'https://client.example/%63allback',
    'https://client.example/x/../callback',
    'https://client.example\\callback',
    'https://client.example/callback\\@evil.example',
    'https://user@client.example/callback',
    'https://client.example:443/callback',
    'https://client.example:8443/callback',
    'http://client.example/callback',
    'https://client.example./callback',
    'https://client.example.evil.example/callback',
    ` ${CALLBACK}`,
    `${CALLBACK} `,
    'https://other.example/callback',
    'javascript:alert(1)',
    '//client.example/callback',
    '/callback',
    'x',
  ])('%j', async (redirect_uri) => {
    expect(await inPlace(ask({ redirect_uri }))).toBe('400 in place')
  })
})

describe('A03 a public client on the own computer may use any port, and nothing else differs', () => {
  test.each([':0', ':1', ':5173', ':65535', ''])('the port %j is fine', async (port) => {
    const { status } = await ask({ redirect_uri: `http://127.0.0.1${port}/callback` }, app.native)
    expect(status).toBe(200)
  })

  test.each([
    'http://127.0.0.1:5173/other',
    'http://127.0.0.1:5173/callback?x=1',
    'https://127.0.0.1:5173/callback',
    'http://localhost:5173/callback',
    'http://[::1]:5173/callback',
    'http://127.0.0.2:5173/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:5173/callback#x',
    'http://127.1:5173/callback',
  ])('%s is not (CVE-2020-26938)', async (redirect_uri) => {
    expect(await inPlace(ask({ redirect_uri }, app.native))).toBe('400 in place')
  })

  test('a confidential client has exactly the port that it registered', async () => {
    const client = await app.newClient({ redirectUris: ['http://127.0.0.1:4000/callback'] })
    expect((await ask({ redirect_uri: 'http://127.0.0.1:4000/callback' }, client)).status).toBe(200)
    expect(await inPlace(ask({ redirect_uri: 'http://127.0.0.1:4001/callback' }, client))).toBe('400 in place')
  })

  test('the other loopback hosts work as they were registered, private-use schemes exactly', async () => {
    const uris = ['http://[::1]/cb', 'http://localhost/cb?own=1', 'com.example.app:/cb']
    const client = await app.newClient({ isConfidential: false, redirectUris: uris })
    for (const redirect_uri of ['http://[::1]:7/cb', 'http://localhost:7/cb?own=1', 'com.example.app:/cb']) {
      expect((await ask({ redirect_uri }, client)).status).toBe(200)
    }
    for (const redirect_uri of ['com.example.app:/cb/', 'COM.example.app:/cb', 'com.example.app://cb']) {
      expect(await inPlace(ask({ redirect_uri }, client))).toBe('400 in place')
    }
  })
})

test('A04 without redirect_uri the only registered one counts, else it is asked for', async () => {
  expect((await ask({ redirect_uri: undefined })).status).toBe(200)
  const client = await app.newClient({ redirectUris: [CALLBACK, `${CALLBACK}2`] })
  expect(await inPlace(ask({ redirect_uri: undefined }, client))).toBe('400 in place')
})

test('the redirect’s own query is kept as it is, and every parameter comes once', async () => {
  const uri = 'https://client.example/cb?own=%7Ea+b&x'
  const client = await app.newClient({ redirectUris: [uri] })
  const page = await ask({ redirect_uri: uri, response_type: undefined }, client)
  expect(page.headers.get('location')?.startsWith(`${uri}&error=`)).toBe(true)
  const names = [...(page.location?.searchParams.keys() ?? [])]
  expect(names).toHaveLength(new Set(names).size)
})
