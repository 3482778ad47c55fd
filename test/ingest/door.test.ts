import { afterAll, describe, expect, test } from 'vitest'
import { categories, ingestConnections } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { endLapsed } from '../../src/domain/ingest/lapse.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { endLivestream, livestreamOf, startLivestream } from '../../src/domain/livestreams.ts'
import { createIngestStage } from './support/stage.ts'

const stage = await createIngestStage()
afterAll(() => stage[Symbol.asyncDispose]())
const { context, nginx, streamer, typesOf } = stage
const liveOf = async (channelId: string) => (await livestreamOf(context.db, channelId))[0]
const elapse = (seconds: number) => stage.elapse(ingestConnections, 'expiresAt', seconds * 1_000)
const elapseSeen = (seconds: number) => stage.elapse(ingestConnections, 'seenAt', seconds * 1_000)
const started = 'livestream.started'
const ended = 'livestream.ended'

describe('an encoder that publishes', () => {
  test('makes its channel live, under the name of the channel, with the title and the category of last time', async () => {
    const { id, ctx, key } = await streamer('ada')
    await context.db.insert(categories).values({ id: newId('category', context.now()), slug: 'software', label: 'S' })
    expect(await nginx('publish', key, 1)).toMatchObject({ status: 302, location: 'ada' })
    expect(await liveOf(id)).toMatchObject({ title: null, category: null })
    await endLivestream(ctx)
    await startLivestream(ctx, { title: 'A compiler', category: 'software' })
    await endLivestream(ctx)
    await nginx('publish_done', key, 1)
    expect((await nginx('publish', key, 2)).status).toBe(302)
    expect(await liveOf(id)).toMatchObject({ title: 'A compiler', category: 'software' })
    expect(await typesOf(id)).toEqual([started, ended, started, ended, started])
  })

  test('is let in when it publishes under the name of its channel and has the key as an argument', async () => {
    const [{ id, key }, other] = [await streamer('bell'), await streamer('boole')]
    for (const call of ['publish', 'update_publish', 'publish_done'])
      expect(await nginx(call, 'bell', 3, { key })).toMatchObject({ status: 204, location: null })
    expect(await typesOf(id)).toEqual([started])
    expect(await nginx('publish', 'boole', 4, { key })).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await liveOf(other.id)).toBeUndefined()
  })

  test('goes on with a stream that was begun by the button', async () => {
    const { id, ctx, key } = await streamer('curie')
    const { id: begun } = await startLivestream(ctx, {})
    await nginx('publish', key, 5)
    await nginx('publish_done', key, 5)
    await elapse(61)
    await endLapsed(context)
    expect(await typesOf(id)).toEqual([started, ended])
    expect(begun).toMatch(/^str_/)
  })

  test('twenty at once make one live stream, and one of them is let in', async () => {
    const { id, key } = await streamer('darwin')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => nginx('publish', key, 100 + n)))
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'already_live')).toHaveLength(19)
    expect(await typesOf(id)).toEqual([started])
  })
})

describe('an encoder that has gone', () => {
  test('is waited for, and its stream goes on when it is back', async () => {
    const { id, key } = await streamer('euler')
    await nginx('publish', key, 1)
    const before = await liveOf(id)
    expect((await nginx('publish_done', key, 1)).status).toBe(204)
    await elapse(59)
    await endLapsed(context)
    expect((await nginx('publish', key, 2)).status).toBe(302)
    await elapse(29)
    await endLapsed(context)
    expect(await liveOf(id)).toEqual(before)
    expect(await typesOf(id)).toEqual([started])
  })

  test('for a minute has its stream ended, once, however many look', async () => {
    const { id, key } = await streamer('fermi')
    await nginx('publish', key, 1)
    await nginx('publish_done', key, 1)
    await nginx('done', key, 1)
    await elapse(61)
    await Promise.all(Array.from({ length: 5 }, () => endLapsed(context)))
    expect(await liveOf(id)).toBeUndefined()
    expect(await typesOf(id)).toEqual([started, ended])
  })

  test('without a word is missed three times', async () => {
    const { id, key } = await streamer('gauss')
    await nginx('publish', key, 1)
    await elapse(25)
    expect((await nginx('update_publish', key, 1)).status).toBe(204)
    await elapse(25)
    await endLapsed(context)
    expect(await liveOf(id)).toBeDefined()
    await elapse(6)
    await endLapsed(context)
    expect(await typesOf(id)).toEqual([started, ended])
    expect((await nginx('update_publish', key, 1)).code).toBe('forbidden')
  })
})

describe('a second encoder with the same key', () => {
  test('is refused, and what it says ends nothing', async () => {
    const { id, key } = await streamer('hopper')
    await nginx('publish', key, 1)
    expect(await nginx('publish', key, 2)).toMatchObject({ status: 409, code: 'already_live' })
    for (const call of ['publish_done', 'done']) expect((await nginx(call, key, 2)).status).toBe(204)
    expect((await nginx('update_publish', key, 2)).code).toBe('forbidden')
    await elapse(29)
    await endLapsed(context)
    expect((await nginx('update_publish', key, 1)).status).toBe(204)
    expect(await typesOf(id)).toEqual([started])
  })

  test('is the first one again where that was not heard of for longer than a check', async () => {
    const { id, key } = await streamer('iris')
    await nginx('publish', key, 1)
    await elapseSeen(14)
    expect((await nginx('publish', key, 2)).code).toBe('already_live')
    await elapseSeen(2)
    expect((await nginx('publish', key, 2)).status).toBe(302)
    expect((await nginx('update_publish', key, 1)).code).toBe('forbidden')
    expect(await typesOf(id)).toEqual([started])
  })

  test('of another media server is another one, although its number is the same', async () => {
    const { key } = await streamer('joule')
    const said = (call: string) => `call=${call}&name=${key}&clientid=1&addr=192.0.2.1`
    expect((await stage.say(said('publish'), { query: '?server=a' })).status).toBe(302)
    expect((await stage.say(said('publish'), { query: '?server=b' })).code).toBe('already_live')
  })
})

describe('a key', () => {
  test('that was rolled is refused at once, and at the next check; the new one goes on with the stream', async () => {
    const { id, ctx, key } = await streamer('kepler')
    await nginx('publish', key, 1)
    const { key: other } = await rollStreamKey(ctx)
    expect((await nginx('update_publish', key, 1)).code).toBe('forbidden')
    await nginx('publish_done', key, 1)
    expect((await nginx('publish', key, 2)).code).toBe('invalid_token')
    expect((await nginx('publish', other, 3)).status).toBe(302)
    expect(await typesOf(id)).toEqual([started])
  })

  test('of an account that was closed is refused, and its encoder cut off at the next check', async () => {
    const { id, key } = await streamer('lovelace')
    await nginx('publish', key, 1)
    await stage.closeAccount(id)
    expect((await nginx('update_publish', key, 1)).code).toBe('forbidden')
    expect((await nginx('publish', key, 1)).code).toBe('invalid_token')
  })

  test('that is wrong is refused, after twenty of one address as too many; the right one and others pass', async () => {
    const { key } = await streamer('mendel')
    const guess = (name: string) => nginx('publish', name, 9)
    const wrong = [mint('stream'), mint('overlay'), 'ada', `${key}x`, key.slice(1), '']
    for (const name of wrong) expect((await guess(name)).code).toBe('invalid_token')
    for (let n = 0; n < 20; n++) await guess(mint('stream'))
    expect(await guess(mint('stream'))).toMatchObject({ status: 429, code: 'rate_limited' })
    const elsewhere = await stage.say(`call=publish&name=${mint('stream')}&clientid=9&addr=192.0.2.9`)
    expect([elsewhere.code, (await guess(key)).status]).toEqual(['invalid_token', 302])
  })

  test('is in no line of the log', () => {
    expect(stage.lines.length).toBeGreaterThan(20)
    expect(JSON.stringify(stage.lines)).not.toMatch(/lssk_\w/)
  })
})

test('who ended the stream by the button is not live again because the encoder goes on', async () => {
  const { id, ctx, key } = await streamer('newton')
  await nginx('publish', key, 1)
  await endLivestream(ctx)
  expect((await nginx('update_publish', key, 1)).status).toBe(204)
  expect(await liveOf(id)).toBeUndefined()
  await startLivestream(ctx, { title: 'Again' })
  await nginx('update_publish', key, 1)
  await nginx('publish_done', key, 1)
  await elapse(61)
  await endLapsed(context)
  expect(await typesOf(id)).toEqual([started, ended, started, ended])
})
