import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test, vi } from 'vitest'
import type { DatabaseTarget } from '../../../src/db/client.ts'
import { bundle } from '../../support/bundle.ts'
import { createTestDatabase } from '../../support/database.ts'

/**
 * Faults of postgres 3.4.9 that patches/ mends, each reproduced in a process of its own. All but the last one are red on the
 * driver as it is published: `DRIVER=…/node_modules/postgres npx vitest run test/database/driver`.
 */
const LOST = /^(57P01|CONNECTION_CLOSED|CONNECTION_DESTROYED|ECONNRESET|EPIPE)$/

vi.setConfig({ testTimeout: 60_000 })
const database = await createTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const target = JSON.stringify(partsOf(database.target))
const run = promisify(execFile)
const names = [
  'crash',
  'outside',
  'boundary',
  'reset',
  'end',
  'silence',
  'refused',
  'crowded',
  'hosts',
  'abandon',
  'blocked',
  'interrupt',
  'growth',
  'text',
  'stale',
  'holes',
  'replan',
] as const
const scripts = await bundle(names.map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))))

async function fault(name: (typeof names)[number]) {
  const { stdout } = await run(process.execPath, [join(scripts, `${name}.mjs`), target])
  return JSON.parse(stdout)
}

test.concurrent('a backend that dies in a transaction rejects the transaction and ends nothing else', async () => {
  const { lost, next } = await fault('crash')
  expect(lost).toHaveLength(6)
  for (const outcome of lost) expect(outcome).toMatch(LOST)
  expect(next).toBe('resolved')
})

test.concurrent('a statement of a lost transaction never runs outside it', async () => {
  expect(await fault('outside')).toEqual({ kept: [0, 0] })
})

test.concurrent('begin on the last place of a pipeline leaves no transaction open: acknowledged writes of others stay', async () => {
  const { results } = await fault('boundary')
  expect(results).toEqual(Array.from({ length: 3 }, () => ({ begun: 'resolved', acknowledged: 200, rows: 201 })))
})

test.concurrent('connections that are reset together: every statement settles', async () => {
  expect(await fault('reset')).toEqual({ asked: 120, neverSettled: 0 })
})

test.concurrent('end() resolves after the server cut a statement', async () => {
  expect(await fault('end')).toEqual({ cut: expect.stringMatching(LOST), end: 'resolved' })
})

test.concurrent('a statement that nobody answers is rejected, and the next one gets a connection that works', async () => {
  expect(await fault('silence')).toEqual({ swallowed: 'ETIMEDOUT', next: 'resolved' })
})

test.concurrent('a refused connection refuses the statements that wait for it, also behind a proxy without a server', async () => {
  const { refused, tookMs, accepted } = await fault('refused')
  expect(refused).toEqual(Array.from({ length: 10 }, () => 'ECONNREFUSED'))
  expect(tookMs).toBeLessThan(1_000) // one after the other they waited for a second each
  expect(accepted).toBe('CONNECTION_CLOSED')
})

test.concurrent('a connection that is refused beside others that are opened or open costs no statement', async () => {
  const all = Array.from({ length: 40 }, () => 'resolved')
  expect(await fault('crowded')).toEqual({ atFirst: all, later: all, sessions: 3 })
})

test.concurrent('of several hosts the next is asked at once, and when all are dead everybody is told so', async () => {
  const { oneDead, allDead } = await fault('hosts')
  expect(oneDead.outcomes).toEqual(Array.from({ length: 6 }, () => 'resolved'))
  expect(allDead.outcomes).toEqual(Array.from({ length: 6 }, () => 'ECONNREFUSED'))
  for (const { tookMs } of [oneDead, allDead]) expect(tookMs).toBeLessThan(1_000)
})

test.concurrent('what waits in a pool that is given up is rejected, is never sent, and runs nothing more', async () => {
  expect(await fault('abandon')).toEqual({
    outcomes: Array.from({ length: 5 }, () => 'away'),
    begun: 0,
    next: true,
    rows: [],
  })
})

test.concurrent('a cancellation that comes too late ends no statement that was sent behind the one that was meant', async () => {
  expect(await fault('interrupt')).toEqual({ behind: ['resolved'] })
})

test.concurrent('a process that was blocked does not take a server that answered in time for a silent one', async () => {
  expect(await fault('blocked')).toEqual({ asked: 'resolved', opened: 'resolved' })
})

test.concurrent('a statement costs the same after 200,000 as at first, in a pool that is never idle', async () => {
  const { first, last, length } = await fault('growth')
  expect(length).toBe(10)
  expect(last).toBeLessThan(10 * first + 5)
})

test.concurrent('what a backend said as it died is not told to the first statement of the next session', async () => {
  expect(await fault('stale')).toEqual({ cut: expect.stringMatching(LOST), next: 'resolved' })
})

test.concurrent('rows that came before an error leave no holes in the answer to the next statement', async () => {
  const whole = [{ answer: 'whole' }]
  expect(await fault('holes')).toEqual({
    failed: '22012',
    lost: expect.stringMatching(LOST),
    rows: [whole, whole, whole],
  })
})

test.concurrent('a plan that a migration made wrong is made again, and those who wait behind it get their own answers', async () => {
  const [one, two] = [
    { a: 1, b: 'one' },
    { a: 2, b: 'two' },
  ]
  const { answers, inTransaction, again } = await fault('replan')
  expect(answers).toEqual([[one], [{ mine: 2, b: 'of B' }], [two]])
  expect([inTransaction, again], 'the transaction is lost, the next one is not').toEqual(['0A000', [one]])
})

let textFault: ReturnType<typeof fault> | undefined
const text = () => (textFault ??= fault('text'))

test.concurrent('a statement costs the same however long its text is', async () => {
  const { short, long } = await text()
  expect(long).toBeLessThan(5 * short + 2)
})

test.concurrent('statements of one text are told apart by the types of their parameters, and results hide what they hid', async () => {
  const { types, result } = await text()
  expect(types).toEqual(['boolean', 'bigint', 'boolean'])
  expect(result).toEqual({ seen: ['0'], count: 1, command: 'SELECT', column: 'one' })
})

/** A proxy wants to know the host and the port. */
function partsOf(target: DatabaseTarget) {
  if (typeof target !== 'string') return target
  const { hostname, port, username, password, pathname } = new URL(target)
  return { host: hostname, port: Number(port || 5432), user: username, password, database: pathname.slice(1) }
}
