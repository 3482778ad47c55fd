import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { livestreamOf } from '../../src/domain/livestreams.ts'
import { openIngest } from '../../src/process/background/ingest.ts'
import { createIngestServer } from '../../src/rest/ingest/door.ts'
import { freePort } from '../support/free-port.ts'
import { createIngestStage } from './support/stage.ts'

const stage = await createIngestStage()
afterAll(() => stage[Symbol.asyncDispose]())
const { context, nginx, streamer } = stage
const liveOf = async (channelId: string) => (await livestreamOf(context.db, channelId))[0]
const rows = () => context.db.select().from(ingestConnections)
const elapse = (seconds: number) => stage.elapse(ingestConnections, 'expiresAt', seconds * 1_000)

/** Resolves once nobody is waited for. */
async function none(): Promise<void> {
  while ((await rows()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

describe('a service that lets encoders in', () => {
  afterEach(() => context.db.delete(ingestConnections))

  test('gives those that publish another half a minute when it begins, and then ends whoever has gone by itself', async () => {
    const [ada, bell] = [await streamer('ada'), await streamer('bell')]
    for (const { key } of [ada, bell]) await nginx('publish', key, 1)
    await nginx('publish_done', bell.key, 1)
    await elapse(3_600)
    await using _service = await openIngest(context, { ingestPort: await freePort(), host: '127.0.0.1' })
    while ((await liveOf(bell.id)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await liveOf(ada.id)).toBeDefined()
    const [{ expiresAt, seenAt } = { expiresAt: new Date(0), seenAt: new Date(0) }] = await rows()
    expect(expiresAt.getTime() - seenAt.getTime()).toBeGreaterThanOrEqual(30_000)
    await elapse(31)
    await none()
    expect(await liveOf(ada.id)).toBeUndefined()
  })

  test('says which variable to change when its port is taken, and listens to this machine alone without a secret', async () => {
    const taken = createServer()
    await once(taken.listen(0, '127.0.0.1'), 'listening')
    const { port: ingestPort } = taken.address() as AddressInfo
    await expect(openIngest(context, { ingestPort, host: '0.0.0.0' })).rejects.toThrow(
      /INGEST_PORT \d+ of 127\.0\.0\.1/,
    )
    taken.close()
  })

  test('does not keep a stop waiting', async () => {
    const ingestPort = await freePort()
    const service = await openIngest(context, { ingestPort, host: '127.0.0.1' })
    await service[Symbol.asyncDispose]()
    await expect(fetch(`http://127.0.0.1:${ingestPort}/internal/ingest`)).rejects.toThrow()
  })
})

test('while the database is away nobody begins, and who publishes goes on', async () => {
  const { key } = await streamer('curie')
  await nginx('publish', key, 1)
  await using pools = openPools({ host: '127.0.0.1', port: await freePort(), user: 'nobody', database: 'none' })
  const server = createIngestServer({ ...context, db: pools.db, slow: pools.slow })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const say = async (call: string) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/ingest`, {
      method: 'POST',
      body: new URLSearchParams({ call, name: key, clientid: '1', addr: '192.0.2.1' }),
    })
    return response.status
  }
  expect([await say('publish'), await say('update_publish'), await say('publish_done')]).toEqual([503, 204, 503])
  server.closeAllConnections()
  server.close()
})
