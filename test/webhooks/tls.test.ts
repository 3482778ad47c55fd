import type { TlsOptions } from 'node:tls'
import { expect, test } from 'vitest'
import { classOf } from '../../src/domain/webhooks/http/attempt-failure.ts'
import { createTransport } from '../../src/domain/webhooks/http/transport.ts'
import { authority, expired, valid } from './support/certificates.ts'
import { answers, type Behaviour, startHostile } from './support/hostile.ts'

const rules = { allowPrivate: true, proxyUrl: undefined, isAllowed: (address: string) => address === '127.0.0.2' }
const fine = answers('204 No Content')

type Scene = { url?: string; tls?: TlsOptions | undefined; ca?: string | undefined; behave?: Behaviour; greet?: string }

/** One attempt at a server; by default a good one, whose authority is trusted. */
async function attempt({ url = 'https://hooks.example.com', behave = fine, greet, ...given }: Scene = {}) {
  const { tls, ca } = { tls: valid, ca: authority, ...given }
  await using server = await startHostile(behave, { ...(tls && { tls }), ...(greet && { greet }) })
  const transport = createTransport({
    rules,
    resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    tls: ca === undefined ? {} : { ca },
    connectMs: 300,
    deadlineMs: 1_000,
  })
  const target = new URL(`${url}:${server.port}/`)
  const { signal } = new AbortController()
  const answer = await transport.post({ url: target, headers: [], body: Buffer.from('{"secret":1}'), signal })
  await transport.close()
  return { status: answer.status, error: answer.status === null ? classOf(answer.error) : null, given: server.requests }
}

test('a certificate of a trusted authority for the name is good', async () => {
  expect(await attempt()).toMatchObject({ status: 204, given: [expect.stringContaining('secret')] })
})

test.for([
  ['an authority that nobody trusts', { ca: undefined }, 'E_TLS'],
  ['a certificate for another name', { url: 'https://other.example.com' }, 'E_TLS'],
  ['a certificate that has expired', { tls: expired }, 'E_TLS'],
  [
    'TLS 1.1',
    { tls: { ...valid, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } },
    'E_TLS',
  ],
  ['a port that speaks plain HTTP', { tls: undefined, greet: 'HTTP/1.1 400 Bad Request\r\n\r\n' }, 'E_TLS'],
  [
    'http to a port that speaks TLS',
    { url: 'http://hooks.example.com' },
    expect.stringMatching(/^E_(RESET|BAD_RESPONSE)$/),
  ],
] as [string, Scene, string][])('%s: refused, and no event is given away', async ([, scene, error]) => {
  expect(await attempt(scene)).toEqual({ status: null, error, given: [] })
})

test('a handshake that never goes on ends with the time for connecting', async () => {
  await using server = await startHostile(() => {})
  const transport = createTransport({
    rules,
    resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    connectMs: 100,
    deadlineMs: 5_000,
  })
  const url = new URL(`https://hooks.example.com:${server.port}/`)
  const { error } = await transport.post({
    url,
    headers: [],
    body: Buffer.from('x'),
    signal: new AbortController().signal,
  })
  expect(classOf(error)).toBe('E_CONNECT_TIMEOUT')
  await transport.close()
})
