import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { endLapsed } from '../../src/domain/ingest/lapse.ts'
import { createIngestStage } from './support/stage.ts'

const SECRET = 'of-the-media-server'
const stage = await createIngestStage()
const guarded = await createIngestStage({ ingest: { serverUrl: undefined, secret: SECRET } })
afterAll(() => Promise.all([stage, guarded].map((one) => one[Symbol.asyncDispose]())))
const started = 'livestream.started'
const ended = 'livestream.ended'

describe('MediaMTX and SRS', () => {
  const mediaMtx = (action: string, path: string, more: object) => ({
    user: '',
    password: '',
    token: '',
    ip: '192.0.2.1',
    action,
    path,
    protocol: 'rtmp',
    id: '5d8b8ad0-1c4f-4f0e-9d2c-8c5a3b8f2f10',
    query: '',
    ...more,
  })
  const srs = (action: string, stream: string, param: string) => ({
    server_id: 'vid-1',
    service_id: 'x',
    action,
    client_id: '9308h583',
    ip: '192.0.2.1',
    vhost: '__defaultVhost__',
    app: 'live',
    tcUrl: 'rtmp://live.example/live',
    stream,
    param,
  })

  test.each([
    [
      'MediaMTX, by the query',
      (action: string, name: string, key: string) => mediaMtx(action, `live/${name}`, { query: `key=${key}` }),
    ],
    [
      'MediaMTX, by the password',
      (action: string, name: string, key: string) => mediaMtx(action, name, { user: name, password: key }),
    ],
    [
      'MediaMTX, by the query as its hooks have it since 2026',
      (action: string, name: string, key: string) =>
        mediaMtx(action, name, { query: encodeURIComponent(`user=${name}&pass=${key}`) }),
    ],
    [
      'SRS',
      (action: string, name: string, key: string) =>
        srs(`on_${action === 'done' ? 'unpublish' : action === 'update' ? 'hls' : action}`, name, `?key=${key}`),
    ],
  ])('%s: an encoder publishes under the name of its channel, is kept and leaves', async (what, call) => {
    const name = `ada_${what.length}`
    const { id, key } = await stage.streamer(name)
    expect(await stage.say(call('publish', name, key))).toMatchObject({ status: 200, text: '{"code":0}' })
    expect((await stage.say(call('update', name, key))).status).toBe(200)
    expect(await stage.say(call('publish', 'somebody', key))).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await stage.say(call('done', name, key))).status).toBe(200)
    await stage.elapse(ingestConnections, 'expiresAt', 61_000)
    await endLapsed(stage.context)
    expect(await stage.typesOf(id)).toEqual([started, ended])
  })

  test('who publishes under the key itself is refused: nobody could give it another name', async () => {
    const { id, key } = await stage.streamer('bell')
    for (const call of [mediaMtx('publish', key, {}), srs('on_publish', key, '')])
      expect(await stage.say(call)).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await stage.typesOf(id)).toEqual([])
  })

  test('what viewers do is none of its affairs', async () => {
    for (const call of [mediaMtx('read', 'bell', {}), srs('on_play', 'bell', '')])
      expect((await stage.say(call)).status).toBe(200)
    for (const call of ['play', 'play_done', 'update_play', 'connect'])
      expect((await stage.nginx(call, 'bell', 7)).status).toBe(204)
  })

  test('whom it knows nothing of it lets do nothing: MediaMTX asks as well who may use its own API', async () => {
    for (const action of ['api', 'metrics', 'pprof', 'on_forward', 'constructor', ''])
      expect(await stage.say(mediaMtx(action, '', { id: null }))).toMatchObject({
        status: 400,
        code: 'invalid_request',
      })
    for (const call of ['constructor', 'other', ''])
      expect((await stage.nginx(call, 'bell', 7)).code).toBe('invalid_request')
  })
})

describe('the door', () => {
  test('takes no field twice: arguments of an encoder change nothing that the media server says', async () => {
    const [ada, bob] = [await stage.streamer('ada'), await stage.streamer('bob')]
    await stage.nginx('publish', ada.key, 1)
    for (const more of [{ call: 'publish_done' }, { clientid: '1' }, { name: ada.key }, { addr: '198.51.100.1' }])
      expect((await stage.nginx('publish', bob.key, 2, more)).code).toBe('invalid_request')
    expect(await stage.typesOf(bob.id)).toEqual([])
    expect(await stage.typesOf(ada.id)).toEqual([started])
  })

  test('has one path and one method, and takes no more than it needs', async () => {
    const asked = (path: string, init: RequestInit) => fetch(new URL(path, stage.base), init).then(stage.answerOf)
    expect((await asked('/internal/ingest', {})).status).toBe(405)
    expect((await asked('/internal/ingest/', { method: 'POST' })).status).toBe(404)
    expect((await asked('/', { method: 'POST' })).status).toBe(404)
    expect((await stage.say(`call=publish&name=${'x'.repeat(20_000)}`)).status).toBe(413)
    expect((await stage.say('call=publish&name=x')).code).toBe('invalid_request')
    expect((await stage.say(`call=publish&name=x&clientid=${'9'.repeat(300)}`)).code).toBe('invalid_request')
    expect((await stage.say({ action: 'publish', path: ['x'] })).code).toBe('invalid_request')
    expect((await stage.say([])).code).toBe('invalid_request')
  })

  test('lets nobody in but this machine, by its own name and not through a proxy', async () => {
    const { key } = await stage.streamer('curie')
    const asked = (headers: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const type = 'application/x-www-form-urlencoded'
        const sent = request(
          stage.base,
          { method: 'POST', headers: { 'content-type': type, ...headers } },
          (response) => {
            text(response).then((said) => resolve(`${response.statusCode} ${said}`), reject)
          },
        )
        sent.on('error', reject).end(`call=publish&name=${key}&clientid=1`)
      })
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-for': '1.2.3.4' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect(await asked(headers)).toMatch(/^401 .*unauthorized/)
    expect(await asked({})).toMatch(/^302/)
  })

  test('with a secret lets in who has it, in a header or in the address', async () => {
    const { key } = await guarded.streamer('ada')
    const said = `call=update_publish&name=${key}&clientid=1`
    const asked = async (given: Parameters<typeof guarded.say>[1]) => (await guarded.say(said, given)).code
    expect(await asked({})).toBe('unauthorized')
    expect(await asked({ query: '?secret=wrong' })).toBe('invalid_token')
    expect(await asked({ query: `?secret=${SECRET}&secret=${SECRET}` })).toBe('unauthorized')
    expect(await asked({ headers: { authorization: 'Bearer wrong' } })).toBe('invalid_token')
    for (let n = 0; n < 20; n++) await asked({ query: '?secret=wrong' })
    expect(await asked({ query: '?secret=wrong' })).toBe('rate_limited')
    expect(await asked({ query: `?secret=${SECRET}` })).toBe('forbidden')
    expect(await asked({ headers: { authorization: `Bearer ${SECRET}` } })).toBe('forbidden')
    expect(JSON.stringify(guarded.lines)).not.toContain(SECRET)
  })
})
