import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, isIP, isIPv6, Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../src/domain/errors.ts'
import { isPublicAddress } from '../../src/domain/webhooks/addresses.ts'
import { classOf } from '../../src/domain/webhooks/error-class.ts'
import { createGuard, type Guard, type TargetPolicy } from '../../src/domain/webhooks/guard.ts'
import type { Resolve } from '../../src/domain/webhooks/resolver.ts'
import { checkTargetUrl } from '../../src/domain/webhooks/target-url.ts'
import { createTransport } from '../../src/domain/webhooks/transport.ts'
import { answers, startHostile } from './support/hostile.ts'
import { addresses, urls, type Verdict } from './support/targets.ts'

const policy = (change: Partial<TargetPolicy> = {}): TargetPolicy => ({
  allowPrivate: false,
  allowCidrs: [],
  proxyUrl: undefined,
  ...change,
})
const strict = createGuard(policy())
const lenient = createGuard(policy({ allowPrivate: true }))
const ways = [
  ['forbidden', strict, 1],
  ['allowed', lenient, 2],
] as [string, Guard, 1 | 2][]

afterEach(() => {
  vi.restoreAllMocks()
})

/** Keeps packets at home: records which addresses would be dialled, and fails each connection. */
function recordDials() {
  const dialled: string[] = []
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const [given] = args
    const options = (Array.isArray(given) ? given[0] : given) as Parameters<typeof connect>[0] & {
      host: string
      lookup?: Lookup
    }
    const stop = (address: string) => {
      dialled.push(address)
      process.nextTick(() => this.destroy(new Error('recorded')))
    }
    if (isIP(options.host) || !options.lookup) stop(options.host)
    else
      options.lookup(options.host, { all: true }, (error, found) =>
        error ? this.destroy(error) : stop(found[0]?.address ?? ''),
      )
    return this
  })
  return dialled
}
type Lookup = (host: string, options: object, done: (error: Error | null, found: { address: string }[]) => void) => void

const to =
  (...found: string[]): Resolve =>
  async () =>
    found.map((address) => ({ address, family: isIP(address) || 6 }))

async function attempt(guard: Guard, url: string, resolve: Resolve = to()) {
  const transport = createTransport({ guard, resolve, deadlineMs: 1_000, connectMs: 500 })
  const { signal } = new AbortController()
  const { status, error } = await transport.post({ url: new URL(url), headers: [], body: Buffer.from('{}'), signal })
  await transport.close()
  return status ?? classOf(error)
}

describe.for(ways)('private targets %s', ([, guard, column]) => {
  test('every address has the verdict of the table: as a literal, and given by DNS', async () => {
    const dialled = recordDials()
    const isDialled = async (host: string, address: string) => {
      dialled.length = 0
      await attempt(guard, `http://${host}/`, to(address))
      return dialled.length > 0 ? 'allow' : 'block'
    }
    for (const row of addresses) {
      const [address] = row
      expect(await isDialled('hooks.customer.com', address), `${address} by DNS`).toBe(row[column])
      const literal = isIPv6(address) ? `[${address}]` : address
      if (URL.canParse(`http://${literal}/`)) expect(await isDialled(literal, address), literal).toBe(row[column])
    }
  })

  test('every URL has the verdict of the table, and a refusal begins with `url`', () => {
    for (const row of urls) {
      let verdict: Verdict = 'allow'
      try {
        checkTargetUrl(guard, row[0])
      } catch (error) {
        expect(error).toBeInstanceOf(Problem)
        expect(error).toMatchObject({ code: 'invalid_url', message: expect.stringMatching(/^url /) })
        verdict = 'block'
      }
      expect(verdict, row[0].slice(0, 80)).toBe(row[column])
    }
  })
})

test('an operator’s networks are open, and nothing else; no list opens a metadata service or a mapped form', () => {
  const { isAllowed } = createGuard(policy({ allowCidrs: ['10.20.0.0/16', 'fd12::/16', '0.0.0.0/0', '::/0'] }))
  for (const address of ['10.20.1.1', '10.21.0.1', 'fd12::1', '8.8.8.8']) expect(isAllowed(address), address).toBe(true)
  const narrow = createGuard(policy({ allowCidrs: ['10.20.0.0/16'] })).isAllowed
  for (const address of ['10.21.0.1', '127.0.0.1', '::1', '::ffff:10.20.0.1', '::10.20.0.1'])
    expect(narrow(address), address).toBe(false)
  for (const address of [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '::ffff:10.20.1.1',
    '::a14:101',
    'fe80::1',
    '0.0.0.0',
    '::',
  ]) {
    expect(isAllowed(address), address).toBe(false)
  }
})

test('random IPv4 addresses agree with the registry, read as numbers', () => {
  const special: [number, number][] = [
    ...([
      [0, 8],
      [0x0a000000, 8],
      [0x64400000, 10],
      [0x7f000000, 8],
      [0xa9fe0000, 16],
      [0xac100000, 12],
    ] as [number, number][]),
    ...([
      [0xc0000000, 24],
      [0xc0000200, 24],
      [0xc01fc400, 24],
      [0xc034c100, 24],
      [0xc0586300, 24],
      [0xc0a80000, 16],
    ] as [number, number][]),
    ...([
      [0xc0af3000, 24],
      [0xc6120000, 15],
      [0xc6336400, 24],
      [0xcb007100, 24],
      [0xe0000000, 3],
      [0xa83f8110, 32],
    ] as [number, number][]),
  ]
  const isSpecial = (n: number) =>
    special.some(([base, bits]) => Math.floor(n / 2 ** (32 - bits)) === Math.floor(base / 2 ** (32 - bits)))
  const near = fc
    .constantFrom(...special)
    .chain(([base, bits]) => fc.integer({ min: -2, max: 2 }).map((d) => base + d + (d > 0 ? 2 ** (32 - bits) - 1 : 0)))
  const any = fc.oneof(
    fc.nat(2 ** 32 - 1),
    near.map((n) => Math.min(Math.max(n, 0), 2 ** 32 - 1)),
  )
  fc.assert(
    fc.property(any, (n) => {
      const address = [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256).join('.')
      expect(isPublicAddress(address), address).toBe(!isSpecial(n))
    }),
    { numRuns: 2_000 },
  )
})

test('random IPv6 addresses are public only within 2000::/3, less what is carved out of it', () => {
  const group = fc.nat(0xffff)
  const groups = fc.tuple(
    fc.oneof(group, fc.constantFrom(0, 0x64, 0x2001, 0x2002, 0x2620, 0x3fff, 0xfc00, 0xfe80)),
    fc.oneof(group, fc.constantFrom(0, 0x1ff, 0xdb8, 0x4f, 0xff9b)),
    fc.oneof(group, fc.constantFrom(0, 0x8000)),
    group,
    group,
    group,
    group,
    group,
  )
  const isCarvedOut = ([a, b, c]: readonly number[]) =>
    (a === 0x2001 && ((b ?? 0) < 0x200 || b === 0xdb8)) ||
    a === 0x2002 ||
    (a === 0x2620 && b === 0x4f && c === 0x8000) ||
    (a === 0x3fff && (b ?? 0) < 0x1000)
  fc.assert(
    fc.property(groups, (parts) => {
      const address = parts.map((part) => part.toString(16)).join(':')
      const [first] = parts
      expect(isPublicAddress(address), address).toBe(first >= 0x2000 && first < 0x4000 && !isCarvedOut(parts))
    }),
    { numRuns: 2_000 },
  )
})

describe('what DNS says: 127.0.0.2 plays the public network', () => {
  const guard: Guard = { allowPrivate: false, proxyUrl: undefined, isAllowed: (address) => address === '127.0.0.2' }

  test('of mixed answers only the public one is dialled', async () => {
    await using server = await startHostile(answers('204 No Content'))
    await using inside = await startHostile(answers('200 OK'), { host: '127.0.0.1' })
    expect(await attempt(guard, `http://hooks.customer.com:${server.port}/`, to('127.0.0.1', '127.0.0.2', '::1'))).toBe(
      204,
    )
    expect(await attempt(guard, `http://hooks.customer.com:${inside.port}/`, to('127.0.0.1'))).toBe('E_BLOCKED_ADDRESS')
    expect(inside.connections).toBe(0)
  })

  test('a name that turns private is not followed; a kept connection is reused and never looked up again', async () => {
    await using server = await startHostile((socket, nth) =>
      answers('204 No Content', ...(nth > 2 ? ['connection: close'] : []))(socket, nth),
    )
    let asked = 0
    const turning: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
    const transport = createTransport({ guard, resolve: turning })
    const url = new URL(`http://hooks.customer.com:${server.port}/`)
    const results = []
    for (let n = 0; n < 4; n++) {
      const { signal } = new AbortController()
      const { status, error } = await transport.post({ url, headers: [], body: Buffer.from('{}'), signal })
      results.push(status ?? classOf(error))
      await new Promise(setImmediate) // a socket is free again one turn after its answer
    }
    await transport.close()
    expect(results).toEqual([204, 204, 204, 'E_BLOCKED_ADDRESS'])
    expect([server.connections, asked]).toEqual([1, 2])
  })

  test('a name without an address, and one that DNS is silent about, have their classes', async () => {
    expect(await attempt(guard, 'http://hooks.customer.com/', to())).toBe('E_BLOCKED_ADDRESS')
  })
})

describe('an egress proxy', () => {
  async function startProxy(status = 200) {
    const asked: string[] = []
    const sockets = new Set<Socket>()
    const server = createServer().on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
      const [host = '', port] = (request.url ?? '').split(':')
      const target = connect(Number(port), host)
      for (const one of [socket as Socket, target]) sockets.add(one.on('error', () => {}))
      socket.write(`HTTP/1.1 ${status} Whatever\r\n\r\n`)
      socket.pipe(target).pipe(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const close = async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      server.closeAllConnections()
    }
    return { asked, port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close }
  }
  const through = (port: number): Guard => ({
    allowPrivate: false,
    proxyUrl: `http://user:p%40ss@127.0.0.1:${port}`,
    isAllowed: (address) => address === '127.0.0.2',
  })

  test('is asked for the judged address, never for a name, and never for one that is not allowed', async () => {
    await using proxy = await startProxy()
    await using server = await startHostile(answers('204 No Content'))
    const url = `http://hooks.customer.com:${server.port}/`
    expect(await attempt(through(proxy.port), url, to('127.0.0.1', '127.0.0.2'))).toBe(204)
    expect(await attempt(through(proxy.port), url, to('127.0.0.1'))).toBe('E_BLOCKED_ADDRESS')
    const credential = Buffer.from('user:p@ss').toString('base64')
    expect(proxy.asked).toEqual([`127.0.0.2:${server.port} Basic ${credential}`])
  })

  test('that refuses, or is not there, is a failed attempt', async () => {
    await using server = await startHostile(answers('204 No Content'))
    const url = `http://hooks.customer.com:${server.port}/`
    const refusing = await startProxy(403)
    expect(await attempt(through(refusing.port), url, to('127.0.0.2'))).toBe('E_REFUSED')
    await refusing[Symbol.asyncDispose]()
    expect(await attempt(through(refusing.port), url, to('127.0.0.2'))).toBe('E_REFUSED')
    expect(server.requests).toEqual([])
  })
})
