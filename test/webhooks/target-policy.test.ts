import { type connect, isIP, isIPv6, Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TargetPolicy } from '../../src/domain/core/context.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { isPublicAddress } from '../../src/domain/webhooks/http/address-rules.ts'
import { compileTargetPolicy, type TargetRules } from '../../src/domain/webhooks/http/target-policy.ts'
import { checkTargetUrl } from '../../src/domain/webhooks/http/target-url.ts'
import { attempt, to } from './support/attempt.ts'
import { addresses, urls, type Verdict } from './support/targets.ts'

const policy = (change: Partial<TargetPolicy> = {}): TargetPolicy => ({
  allowPrivate: false,
  allowCidrs: [],
  proxyUrl: undefined,
  ...change,
})
const strict = compileTargetPolicy(policy())
const lenient = compileTargetPolicy(policy({ allowPrivate: true }))
const ways = [
  ['forbidden', strict, 1],
  ['allowed', lenient, 2],
] as [string, TargetRules, 1 | 2][]

afterEach(() => {
  vi.restoreAllMocks()
})

/** Sends no packet: records the addresses of connections, and lets each connection fail. */
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

describe.for(ways)('private targets %s', ([, rules, column]) => {
  test('every address has the verdict of the table: as a literal, and given by DNS', async () => {
    const dialled = recordDials()
    const isDialled = async (host: string, address: string) => {
      dialled.length = 0
      await attempt(rules, `http://${host}/`, to(address))
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
        checkTargetUrl(rules, row[0])
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
  const { isAllowed } = compileTargetPolicy(policy({ allowCidrs: ['10.20.0.0/16', 'fd12::/16', '0.0.0.0/0', '::/0'] }))
  for (const address of ['10.20.1.1', '10.21.0.1', 'fd12::1', '8.8.8.8']) expect(isAllowed(address), address).toBe(true)
  const narrow = compileTargetPolicy(policy({ allowCidrs: ['10.20.0.0/16'] })).isAllowed
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
