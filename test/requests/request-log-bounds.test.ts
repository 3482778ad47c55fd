import { afterAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { ofDatabase } from '../../src/db/db-error.ts'
import { makePartitions } from '../../src/db/partitions.ts'
import { requestLog, requestLogOmissions } from '../../src/db/schema/index.ts'
import type { EndedRequest } from '../../src/domain/core/context.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { requestLogMetrics } from '../../src/domain/requests/metrics.ts'
import { RequestLogBuffer } from '../../src/domain/requests/request-log.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { startRequestLogFlush } from '../../src/process/background/request-log-flush.ts'
import { createTestContext } from '../support/context.ts'

const test_ = await createTestContext()
afterAll(() => test_[Symbol.asyncDispose]())
const { context, clock } = test_
const { db, slow } = context
await makePartitions(db, clock.at)

const NOT_FOUND = new Problem('not_found', 'There is nothing.')
const rate = { limit: 800, remaining: 1, resetS: 1, exceeded: false }
const by = (clientId: string, facts: Partial<EndedRequest> = {}): EndedRequest => ({
  id: 'r',
  address: '127.0.0.1',
  credential: { clientId, rate },
  ...facts,
})
const bufferAt = (at: () => Date) => new RequestLogBuffer(at)

test('ten thousand failures of one application keep a hundred, half of them of one code, and nobody else loses any', () => {
  const buffer = bufferAt(() => clock.at)
  for (let i = 0; i < 10_000; i++) buffer.note(by('loud', { problem: NOT_FOUND }), 'GET /x', 404, 1)
  for (let i = 0; i < 60; i++) buffer.note(by('loud'), 'GET /x', 500, 1)
  buffer.note(by('quiet', { problem: NOT_FOUND }), 'GET /x', 404, 1)
  const { rows, omissions } = buffer.take(10_000)
  const count = (clientId: string, code: string | null) =>
    rows.filter((row) => row.clientId === clientId && row.code === code).length
  expect([count('loud', 'not_found'), count('loud', null), count('quiet', 'not_found')]).toEqual([50, 50, 1])
  expect(omissions).toEqual([{ clientId: 'loud', minuteMs: expect.any(Number), failures: 9_960 }])
})

test('of what did not fail the first ten of each minute are kept; the next minute begins anew', () => {
  let at = new Date('2026-01-02T03:04:00Z')
  const buffer = bufferAt(() => at)
  for (let i = 0; i < 50; i++) buffer.note(by('app'), 'GET /x', 200, 1)
  at = new Date('2026-01-02T03:05:00Z')
  for (let i = 0; i < 50; i++) buffer.note(by('app'), 'GET /x', 200, 1)
  expect(buffer.take(100)).toMatchObject({ rows: { length: 20 }, omissions: [] })
})

const claim = { id: 'r', address: '198.51.100.7', claimedClientId: 'app', isClaimKnown: true, problem: NOT_FOUND }
const claimed = (buffer: RequestLogBuffer, facts: Partial<EndedRequest> = {}) =>
  buffer.note({ ...claim, ...facts }, 'POST /oauth/token', 401, 1)

test('strangers who name an application take nothing from what its own failures have', () => {
  const buffer = bufferAt(() => clock.at)
  for (let i = 0; i < 1_000; i++) claimed(buffer)
  for (let i = 0; i < 1_000; i++) claimed(buffer, { claimedClientId: `app ${i}` })
  buffer.note(by('app', { problem: NOT_FOUND }), 'GET /x', 404, 1)
  const { rows } = buffer.take(10_000)
  expect(rows.filter(({ clientId }) => clientId === 'app')).toHaveLength(21)
  expect(rows).toHaveLength(61)
})

test('from one network, or one IPv6 site, a stranger hides nothing that an application fails in from elsewhere', () => {
  const buffer = bufferAt(() => clock.at)
  for (let i = 0; i < 2_000; i++) {
    claimed(buffer)
    claimed(buffer, { claimedClientId: `app ${i % 40}` })
    claimed(buffer, { address: `2001:db8:1:${i.toString(16)}::1`, claimedClientId: `app ${i % 40}` })
  }
  buffer.take(10_000)
  for (let i = 0; i < 15; i++) claimed(buffer, { id: `mine ${i}`, address: '203.0.113.9' })
  expect(buffer.take(10_000).rows.map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 15 }, (_, i) => `mine ${i}`),
  )
})

test('names that are made up, or that nobody has looked for, take nothing from applications that exist, and are not counted', () => {
  const buffer = bufferAt(() => clock.at)
  for (let i = 0; i < 30_000; i++) {
    const address = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
    claimed(buffer, { claimedClientId: `made up ${i}`, isClaimKnown: i % 2 === 0 ? false : undefined, address })
  }
  const first = buffer.take(10_000)
  expect([first.rows.length, first.omissions]).toEqual([100, []])
  claimed(buffer, { id: 'mine' })
  expect(buffer.take(10_000).rows.map(({ requestId }) => requestId)).toEqual(['mine'])
})

test('a process keeps no more than so many in a minute, and holds no more than so many', () => {
  const buffer = bufferAt(() => clock.at)
  let kept = 0
  for (let i = 0; i < 20_000; i++) {
    buffer.note(by(`app ${i % 500}`, { problem: NOT_FOUND }), 'GET /x', 404, 1)
    if (i % 2_000 === 0) kept += buffer.take(10_000).rows.length
  }
  expect(kept + buffer.take(10_000).rows.length).toBe(12_000)
  const full = requestLogMetrics.dropped.full
  const waiting = bufferAt(() => clock.at)
  for (let i = 0; i < 6_000; i++) waiting.note(by(`app ${i % 500}`, { problem: NOT_FOUND }), 'GET /x', 404, 1)
  expect(requestLogMetrics.dropped.full - full).toBe(1_000)
  expect(waiting.take(10_000).rows).toHaveLength(5_000)
})

test('rows wait while the database is away, and are dropped and counted when it refuses them', async () => {
  const { id } = await test_.client()
  const requests = bufferAt(() => clock.at)
  const failing = (code: string) => ({
    requests,
    slow: {
      get _(): never {
        throw ofDatabase(Object.assign(new Error('no'), { code }))
      },
    } as unknown as Database,
  })
  requests.note(by(id, { problem: NOT_FOUND }), 'GET /x', 404, 1)
  await expect(writeRequestLog(failing('DATABASE_AWAY'))).rejects.toThrow('no')
  expect(await db.select().from(requestLog)).toEqual([])
  await writeRequestLog({ requests, slow })
  expect(await db.select().from(requestLog)).toHaveLength(1)

  const before = requestLogMetrics.dropped.database
  requests.note(by(id, { problem: NOT_FOUND }), 'GET /x', 404, 1)
  await expect(writeRequestLog(failing('22021'))).rejects.toThrow('no')
  expect(requestLogMetrics.dropped.database - before).toBe(1)
  expect(requests.take(10).rows).toEqual([])
})

test('what was not kept adds up over processes, and is forgotten after a week', async () => {
  const { id } = await test_.client()
  const processes = [bufferAt(() => clock.at), bufferAt(() => clock.at)]
  for (const requests of processes) {
    for (let i = 0; i < 60; i++) requests.note(by(id, { problem: NOT_FOUND }), 'GET /x', 404, 1)
  }
  await Promise.all(processes.map((requests) => writeRequestLog({ requests, slow })))
  expect(await db.select().from(requestLogOmissions)).toMatchObject([{ clientId: id, failures: 20 }])
  await deleteExpired(context, new Date(clock.at.getTime() + 9 * 86_400_000))
  expect(await db.select().from(requestLogOmissions)).toEqual([])
})

test('the end of the process stores what waits, whatever callers put into it', async () => {
  const { id } = await test_.client()
  const requests = bufferAt(() => clock.at)
  const hostile = new Problem('not_found', `zero \0 half \ud800 "quote" \\ {brace}, ${'x '.repeat(600)}`)
  const body = { '\0': 1, 'a\ud800': 'b\0', list: ['"', '\\', null, { deep: true }] }
  requests.note(by(id, { problem: hostile, body, address: 'fe80::1%eth0', url: '/%00?a=%00&b' }), 'GET /x', 404, 1)
  {
    await using _flush = startRequestLogFlush({ ...context, requests })
  }
  const rows = await db.select().from(requestLog)
  expect(rows.filter(({ clientId }) => clientId === id)).toMatchObject([{ code: 'not_found', address: 'fe80::1' }])
})
