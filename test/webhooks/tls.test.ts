import type { TlsOptions } from 'node:tls'
import { expect, test } from 'vitest'
import { detailOf } from '../../src/domain/webhooks/http/attempt-detail.ts'
import { classOf } from '../../src/domain/webhooks/http/attempt-failure.ts'
import { createTransport } from '../../src/domain/webhooks/http/transport.ts'
import { authority, expired, selfSigned, valid } from './support/certificates.ts'
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
  const error = answer.status === null ? classOf(answer.error) : null
  return { status: answer.status, error, detail: detailOf(answer), given: server.requests }
}

test('a certificate of a trusted authority for the name is good', async () => {
  expect(await attempt()).toMatchObject({ status: 204, given: [expect.stringContaining('secret')] })
})

const OLD = { ...valid, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const

test.for([
  ['an authority that nobody trusts', { ca: undefined }, 'E_TLS', /does not lead to an authority that is trusted/],
  ['a certificate that signed itself', { tls: selfSigned }, 'E_TLS', /^The certificate is self-signed\.$/],
  [
    'a certificate for another name',
    { url: 'https://other.example.com' },
    'E_TLS',
    /^The certificate is not for other\.example\.com, but for hooks\.example\.com\.$/,
  ],
  ['a certificate that has expired', { tls: expired }, 'E_TLS', /has expired/],
  ['TLS 1.1', { tls: OLD }, 'E_TLS', /no version of TLS from 1\.2 on/],
  [
    'no cipher in common',
    { tls: { ...valid, maxVersion: 'TLSv1.2', ciphers: 'RC4-MD5:AES128-SHA' } },
    'E_TLS',
    /cipher/,
  ],
  [
    'a port that speaks plain HTTP',
    { tls: undefined, greet: 'HTTP/1.1 400 Bad Request\r\n\r\n' },
    'E_TLS',
    /does not speak TLS/,
  ],
  [
    'http to a port that speaks TLS',
    { url: 'http://hooks.example.com' },
    expect.stringMatching(/^E_(RESET|BAD_RESPONSE)$/),
    /^$|no response of HTTP/,
  ],
] as [string, Scene, string, RegExp][])('%s: refused, no event is given away, and why is said', async (scene) => {
  const [, given, error, why] = scene
  const { detail, ...rest } = await attempt(given)
  expect(rest).toEqual({ status: null, error, given: [] })
  expect(detail ?? '').toMatch(why)
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
