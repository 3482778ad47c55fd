import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, open, openSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { CONNECT_MS } from '../../src/domain/webhooks/http/connector.ts'
import { RESOLVE_MS } from '../../src/domain/webhooks/http/dns.ts'
import { attempt } from './support/attempt.ts'
import { NXDOMAIN, OK, SERVFAIL, startNameServer } from './support/name-server.ts'

test('all addresses of a name come back, whatever they are: they are judged later', async () => {
  using server = await startNameServer({ code: OK, addresses: ['93.184.216.34', '127.0.0.1'] })
  expect(await server.resolve('hooks.customer.com')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ])
})

test.for([
  ['does not exist', { code: NXDOMAIN }, 'E_DNS'],
  ['has no address', { code: OK }, 'E_DNS'],
  ['cannot be looked up', { code: SERVFAIL }, 'E_DNS'],
  ['meets silence', 'silence', 'E_DNS_TIMEOUT'],
] as const)('a name that %s has a class of its own', async ([, answer, errorClass]) => {
  using server = await startNameServer(answer)
  await expect(server.resolve('hooks.customer.com')).rejects.toMatchObject({ errorClass })
})

test('a name server that is silent is told from a receiver that is, however late it gives up', async () => {
  using server = await startNameServer('silence')
  await expect(server.impatient('hooks.customer.com')).rejects.toMatchObject({ errorClass: 'E_DNS_TIMEOUT' })
  const rules = { allowPrivate: false, proxyUrl: undefined, isAllowed: () => true }
  expect(await attempt(rules, 'http://hooks.customer.com/', server.impatient)).toBe('E_DNS_TIMEOUT')
  expect(RESOLVE_MS).toBeLessThan(CONNECT_MS)
})

test('a hundred names for which nobody answers hold up neither another name nor the threads of the process', async () => {
  using server = await startNameServer((name) =>
    name.startsWith('dead') ? 'silence' : { code: OK, addresses: ['93.184.216.34'] },
  )
  using _ = holdThreads()
  for (const resolve of [server.resolve, server.local()]) {
    const dead = Array.from({ length: 100 }, (_name, n) => resolve(`dead${n}.customer.com`))
    for (const one of dead) one.catch(() => {})
    expect(await resolve('hooks.customer.com')).toMatchObject([{ address: '93.184.216.34' }])
    expect(await server.local()('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
  }
})

describe('inside one’s own network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'names-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  test('the names of /etc/hosts are known, also those that came later; localhost is, whatever it says', async () => {
    using server = await startNameServer({ code: NXDOMAIN })
    const hosts = file(
      'hosts',
      '# 10.0.0.1 no\n10.0.0.7\tReceiver hook # 10.0.0.8 x\nfd00::7 receiver\nnonsense receiver\n',
    )
    const resolve = server.local({ hosts })
    expect(await resolve('receiver')).toEqual([
      { address: '10.0.0.7', family: 4 },
      { address: 'fd00::7', family: 6 },
    ])
    for (const name of ['localhost', 'app.localhost', 'LOCALHOST.'])
      expect(await resolve(name)).toContainEqual({ address: '127.0.0.1', family: 4 })
    await expect(resolve('x')).rejects.toMatchObject({ errorClass: 'E_DNS' })
    file('hosts', '10.0.0.9 x')
    utimesSync(hosts, 1, 1)
    expect(await resolve('x')).toEqual([{ address: '10.0.0.9', family: 4 }])
  })

  test('a neighbour is found by the search domains, a name with dots as it is first', async () => {
    const asked: string[] = []
    using server = await startNameServer((name) => {
      asked.push(name)
      return name === 'receiver.cluster.local' ? { code: OK, addresses: ['10.0.0.3'] } : { code: NXDOMAIN }
    })
    const resolv = file(
      'resolv.conf',
      'nameserver 10.0.0.2\nsearch apps.local cluster.local\noptions timeout:1 ndots:2\n',
    )
    const resolve = server.local({ resolv })
    expect(await resolve('receiver')).toEqual([{ address: '10.0.0.3', family: 4 }])
    expect([...new Set(asked.splice(0))]).toEqual(['receiver.apps.local', 'receiver.cluster.local'])
    await expect(resolve('a.customer.com')).rejects.toMatchObject({ errorClass: 'E_DNS' })
    expect(asked[0]).toBe('a.customer.com')
  })
})

/** Every thread that the process has for files, names and passwords waits, until it is disposed of. */
function holdThreads(): Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'))
  const pipes = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, (_, n) => join(folder, String(n)))
  execFileSync('mkfifo', pipes)
  // opened for reading alone, a pipe waits for somebody who writes
  for (const pipe of pipes) open(pipe, 'r', (_error, opened) => closeSync(opened))
  return {
    [Symbol.dispose]: () => {
      for (const pipe of pipes) closeSync(openSync(pipe, 'r+'))
      rmSync(folder, { recursive: true })
    },
  }
}
