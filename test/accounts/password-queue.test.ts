import { afterAll, expect, test, vi } from 'vitest'

/** Hashes that are at work, each ended by the test. */
const running: (() => void)[] = []
vi.doMock('@node-rs/argon2', () => ({
  hash: () => new Promise((resolve) => running.push(() => resolve('a hash'))),
}))
afterAll(() => vi.doUnmock('@node-rs/argon2'))

type Passwords = typeof import('../../src/domain/accounts/passwords.ts')
/** A copy of its own: the other tests of this worker share one that hashes. */
const copy = '../../src/domain/accounts/passwords.ts?queue'
const { hashPassword } = (await import(copy)) as Passwords

test('four passwords are hashed at once, some hundreds wait, and whoever comes then is told when to come again', async () => {
  const first = Array.from({ length: 404 }, () => hashPassword('a long pass phrase'))
  expect(running).toHaveLength(4)
  const refusal = { code: 'unavailable', details: { retryAfterS: 2 } }
  await expect(hashPassword('one too many')).rejects.toMatchObject(refusal)
  running.shift()?.()
  await first[0]
  const next = hashPassword('there is a place again')
  await expect(hashPassword('one too many again')).rejects.toMatchObject(refusal)
  while (running.length > 0) {
    running.shift()?.()
    await new Promise(setImmediate)
  }
  expect(await Promise.all([...first, next])).toHaveLength(405)
})
