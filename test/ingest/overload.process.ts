import { request } from 'node:http'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { sha256Hex } from '../../src/domain/core/digest.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { KeepAlives } from '../../src/domain/ingest/keep-alives.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { livestreamOf } from '../../src/domain/livestreams.ts'
import { openIngest } from '../../src/process/background/ingest.ts'
import { startMaintenance } from '../../src/process/background/maintenance.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { isAnyoneWaiting } from '../support/waiting.ts'
import { createIngestStage } from './support/stage.ts'

const stage = await createIngestStage()
afterAll(() => stage[Symbol.asyncDispose]())
const { context, nginx, streamer } = stage
afterEach(() => context.db.delete(ingestConnections))
const liveOf = async (channelId: string) => (await livestreamOf(context.db, channelId))[0]
const elapse = (seconds: number) => stage.elapse(ingestConnections, 'expiresAt', seconds * 1_000)

/** Does `work` while a table is locked against everybody. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await context.slow.transaction(async (tx) => {
    await tx.execute(sql.raw(`lock table ${table} in access exclusive mode`))
    await work()
  })
}

test('an encoder that comes back without end is refused for the rest of a minute, by its key: others pass, and a new key', async () => {
  const [ada, bell] = [await streamer('ada'), await streamer('bell')]
  // the counter is told of the first 58 directly, which takes no time
  for (let n = 0; n < 58; n++) await context.counters.take(rateLimits.publishing, ada.key)
  expect((await nginx('publish', ada.key, 1)).status).toBe(302)
  expect((await nginx('publish', ada.key, 2)).code).toBe('already_live')
  await nginx('publish_done', ada.key, 1)
  expect(await nginx('publish', ada.key, 99)).toMatchObject({ status: 429, code: 'rate_limited' })
  expect((await nginx('publish', bell.key, 99)).status).toBe(302)
  const { key } = await rollStreamKey(ada.ctx)
  expect((await nginx('publish', key, 99)).status).toBe(302)
})

test('a media server that did not wait to be told leaves no encoder behind: the next one is let in at once', async () => {
  const { id, key } = await streamer('curie')
  await whileLocked('livestreams', async () => {
    const sent = request(stage.base, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    sent.on('error', () => {}).end(`call=publish&name=${key}&clientid=1&addr=192.0.2.1`)
    while (!(await isAnyoneWaiting(context))) await new Promise((resolve) => setTimeout(resolve, 10))
    sent.destroy()
    await new Promise((resolve) => sent.once('close', resolve))
  })
  const connectionOf = async () => (await context.db.select().from(ingestConnections))[0]?.connection
  while ((await connectionOf()) !== null) await new Promise((resolve) => setTimeout(resolve, 10))
  expect((await nginx('publish', key, 2)).status).toBe(302)
  expect(await stage.typesOf(id)).toEqual(['livestream.started'])
})

describe('a database that does not answer', () => {
  const said = (n: number) => ({ keyHash: sha256Hex('key'), connection: `of ${n}` })

  test('keeps no encoder waiting until its media server gives up, and no more of them than a thousand', async () => {
    await using proxy = await createDatabaseProxy(stage.target)
    await using pools = openPools(proxy.target)
    const keepAlives = new KeepAlives({ ...context, db: pools.db })
    expect(await keepAlives.keep(said(0))).toBe(false)
    expect(keepAlives.takeMissed()).toBe(false)
    proxy.swallow()
    const begunMs = performance.now()
    const answers = Array.from({ length: 1_500 }, (_, n) => keepAlives.keep(said(n)).catch(String))
    expect(await Promise.race(answers)).toContain('1000 encoders wait')
    expect(new Set(await Promise.all(answers)).size).toBe(2)
    expect(performance.now() - begunMs).toBeLessThan(9_000)
    expect([keepAlives.takeMissed(), keepAlives.takeMissed()]).toEqual([true, false])
    await proxy.takeAway() // so that nobody waits for it in the end
  })

  test('in time about one encoder ends nothing: whoever could not be heard of is not silent', async () => {
    const { id, key } = await streamer('darwin')
    const ingestPort = await freePort()
    await using _service = await openIngest(context, { ingestPort, host: '127.0.0.1' })
    const say = async (call: string) => {
      const body = new URLSearchParams({ call, name: key, clientid: '1', addr: '192.0.2.1' })
      const init = { method: 'POST', redirect: 'manual', body } as const
      return (await fetch(`http://127.0.0.1:${ingestPort}/internal/ingest`, init)).status
    }
    expect(await say('publish')).toBe(302)
    await elapse(20)
    await whileLocked('stream_keys', async () => expect(await say('update_publish')).toBe(204))
    const leftMs = async () => {
      const [row] = await context.db
        .select({ ms: sql<number>`(extract(epoch from expires_at - statement_timestamp()) * 1000)::float8` })
        .from(ingestConnections)
      return row?.ms
    }
    for (let ms = await leftMs(); ms !== undefined && ms < 15_000; ms = await leftMs())
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await liveOf(id)).toBeDefined()
  })
})

test('while the processes that let encoders in are away for a moment the hourly work of another one ends no stream; for hours, it does', async () => {
  await using today = await createIngestStage({ now: () => new Date() })
  const { id, key } = await today.streamer('euler')
  const live = async () => (await livestreamOf(today.context.db, id))[0]
  const passes = (seconds: number) => today.elapse(ingestConnections, 'expiresAt', seconds * 1_000)
  await today.nginx('publish', key, 1)
  await passes(31)
  await startMaintenance(today.context)[Symbol.asyncDispose]()
  expect(await live()).toBeDefined()
  await passes(600)
  await startMaintenance(today.context)[Symbol.asyncDispose]()
  expect(await live()).toBeUndefined()
})
