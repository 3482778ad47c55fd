import { afterAll, expect, test, vi } from 'vitest'
import { caller } from '../support/flows.ts'

/** Hashes that are at work, each ended by the test. */
const running: { password: string; end: () => void }[] = []
vi.doMock('@node-rs/argon2', () => ({
  hash: (password: string) =>
    new Promise((resolve) => running.push({ password, end: () => resolve(`hash of ${password}`) })),
}))
afterAll(() => vi.doUnmock('@node-rs/argon2'))

type Passwords = typeof import('../../src/domain/accounts/passwords.ts')
/** A copy of its own: the other tests of this worker share one that hashes. */
const copy = '../../src/domain/accounts/passwords.ts?queue'
const { hashPassword } = (await import(copy)) as Passwords

const hashFrom = (address: string, password = address) => hashPassword({ caller: caller({ address }) }, password)
const passwords = () => running.map(({ password }) => password)
const settled = () => new Promise(setImmediate)
async function endAll() {
  while (running.length > 0) {
    running.shift()?.end()
    await settled()
  }
}

test('whoever has hundreds of passwords hashed keeps nobody else waiting, and is told when to come again', async () => {
  const many = Array.from({ length: 101 }, (_, n) => hashFrom('198.51.100.7', `${n}`))
  const refusal = { code: 'unavailable', details: { retryAfterS: 2 } }
  await expect(hashFrom('198.51.100.7')).rejects.toMatchObject(refusal)
  const other = hashFrom('203.0.113.9')
  expect(passwords()).toEqual(['0', '203.0.113.9'])
  running.pop()?.end()
  expect(await other).toBe('hash of 203.0.113.9')
  await endAll()
  expect(await Promise.all(many)).toHaveLength(101)
})

test('all networks of a site have one place together, and all places four', async () => {
  const ofSite = [1, 2, 3].map((n) => hashFrom(`2001:db8:1:${n}::1`, `site ${n}`))
  const others = [1, 2, 3, 4].map((n) => hashFrom(`192.0.2.${n}`, `other ${n}`))
  expect(passwords()).toEqual(['site 1', 'other 1', 'other 2', 'other 3'])
  for (const then of [
    ['other 1', 'other 2', 'other 3', 'other 4'],
    ['other 2', 'other 3', 'other 4', 'site 2'],
  ]) {
    running.shift()?.end()
    await settled()
    expect(passwords()).toEqual(then)
  }
  await endAll()
  expect(await Promise.all([...ofSite, ...others])).toHaveLength(7)
})

test('commands wait for no place of their own', async () => {
  const two = [hashPassword({}, 'one'), hashPassword({}, 'two')]
  expect(passwords()).toEqual(['one', 'two'])
  await endAll()
  await Promise.all(two)
})

test('a command, and the demo data of a start, wait as long as it takes; a caller is told to come again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const commands = Array.from({ length: 6 }, (_, n) => hashPassword({}, `${n}`))
    const refused = expect(hashFrom('203.0.113.9')).rejects.toMatchObject({ code: 'unavailable' })
    vi.advanceTimersByTime(60_000) // as long as a slow machine may take
    await refused
    await endAll()
    expect(await Promise.all(commands)).toHaveLength(6)
  } finally {
    vi.useRealTimers()
  }
})
