import { EventEmitter, once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import type { OpenStream } from '../../src/domain/core/live.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createBan } from '../../src/domain/moderation.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { createLiveApp } from '../support/app.ts'
import { collectGarbage } from '../support/garbage.ts'
import { startReceiver } from '../support/receiver.ts'
import { createConsole, secretFiles } from './console.ts'

const app = await createLiveApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const eve = await app.user('eve')
const application = await app.token(['chat:read'])
const shell = createConsole()
const fileWith = secretFiles()
afterAll(() => fileWith[Symbol.dispose]())

const as = ({ id, username }: typeof ada): UserContext => ({
  ...app.context,
  principal: { kind: 'user', userId: id, username, clientId: null, scopes },
})
const say = (content: string, who = ada) => sendMessage(as(who), { room_name: who.username, content })
const wordsOf = (url: string, credential: string, options: readonly string[]) => [
  ...['events', 'listen', '--forward-to', url, '--key-file', fileWith(credential), '--url', app.base],
  ...options,
]
const listenTo = (url: string, credential: string, ...options: string[]) => shell.run(wordsOf(url, credential, options))

/** A `listen` that has begun. */
async function begin(url: string, credential: string, ...options: string[]) {
  const life = new EventEmitter()
  const begun = once(life, 'line')
  const ended = shell.run(wordsOf(url, credential, options), { onWrite: (line) => life.emit('line', line) })
  const [first] = await begun
  return { first: String(first), ended }
}

test('listen goes back to a time and behind a cursor, of one channel, and says last that it listens', async () => {
  await using receiver = await startReceiver()
  const since = app.context.now().toISOString()
  await say('one')
  await say('to eve', eve)
  await say('two')
  const { stdout } = await listenTo(receiver.url, application, '--since', since, '--count', '3')
  expect(stdout).toMatch(/^Signing with whsec_\S+\nListening for all events\nevt_/)
  const [, cursor = ''] = /^To go on behind them: --after (\S+)$/m.exec(stdout) ?? []
  await say('three')
  await listenTo(receiver.url, application, '--after', cursor, '--count', '1')
  await listenTo(receiver.url, application, '--since', since, '--channel', 'eve', '--count', '1')
  const said = receiver.requests.map(({ event }) => event.data.content)
  expect(said).toEqual(['one', 'to eve', 'two', 'three', 'to eve'])
})

test('listen hears as a user what a user may read', async () => {
  await using receiver = await startReceiver()
  const token = await app.token(['moderation:read'], { user: ada })
  const { ended } = await begin(receiver.url, token, '--count', '1')
  await say('for readers of chat')
  await createBan(as(ada), { user_id: eve.id })
  expect((await ended).status).toBe(0)
  expect(receiver.requests.map(({ event }) => event.type)).toEqual(['moderation.ban.created'])
})

test('listen refuses what it would never hear, a channel that is not there, and two beginnings', async () => {
  const refusalOf = async (credential: string, ...options: string[]) => {
    const { status, stdout } = await listenTo('http://127.0.0.1:9/', credential, '--json', ...options)
    return [status, JSON.parse(stdout).error.code]
  }
  const refusal = (...options: string[]) => refusalOf(application, ...options)
  const moderator = await app.token(['moderation:read'])
  expect(await refusal('--types', 'livestream.started')).toEqual([1, 'insufficient_scope'])
  expect(await refusal('--types', 'moderation.ban.created')).toEqual([1, 'insufficient_scope'])
  expect(await refusalOf(moderator, '--types', 'moderation.ban.created')).toEqual([1, 'user_token_required'])
  expect(await refusal('--channel', 'nobody')).toEqual([1, 'channel_not_found'])
  expect(await refusal('--after', 'nonsense')).toEqual([1, 'invalid_cursor'])
  expect(await refusal('--since', 'yesterday')).toEqual([1, 'invalid_request'])
  expect(await refusal('--since', '2026-01-02T00:00:00Z', '--after', 'x')).toEqual([1, 'usage'])
})

test('listen ends when its credential does, and says so', async () => {
  app.context.credentials.trust()
  await using receiver = await startReceiver()
  const client = await app.client()
  const { ended } = await begin(receiver.url, await app.token(['chat:read'], { user: ada, client }))
  await revokeAllowed(as(ada), { application_id: client.id })
  expect(await ended).toMatchObject({
    status: 1,
    stderr: 'The service has ended the stream: The credential has ended.\n',
  })
  app.context.credentials.distrust()
})

test('listen has a limit of time: an end like any other, or a failure where events are lacking', async () => {
  await using receiver = await startReceiver()
  using _ = collectGarbage() // of a process that runs for long, with what it was to wait for
  const { ended } = await begin(receiver.url, application, '--count', '2', '--timeout', '1')
  await say('one')
  expect(await ended).toMatchObject({ status: 1, stderr: 'Only 1 of 2 events came within 1 s.\n' })
  const idle = await listenTo(receiver.url, application, '--timeout', '1')
  expect(idle).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Events taken: 0, not taken: 0\.$/m) })
})

test('listen says nothing when a stream is renewed, and misses nothing, also of what came before its first event', async () => {
  const streams: OpenStream[] = []
  const { context } = app
  const add = context.streams.add.bind(context.streams)
  context.streams.add = (stream) => {
    streams.push(stream)
    return add(stream)
  }
  await using receiver = await startReceiver()
  const { ended } = await begin(receiver.url, application, '--count', '2')
  const recycle = () =>
    streams
      .pop()
      ?.end({ reason: 'recycled', problem: new Problem('unavailable', 'The stream was open for long: resume.') })
  recycle()
  await say('behind the first')
  await receiver.received(1)
  recycle()
  await say('behind the second')
  expect(await ended).toMatchObject({ status: 0, stderr: '' })
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['behind the first', 'behind the second'])
})

// the last one: it moves the clock by months
test('listen says what it missed, when it comes back too late', async () => {
  await using receiver = await startReceiver()
  const { ended } = await begin(receiver.url, application, '--count', '2')
  await say('heard')
  await receiver.received(1)
  await say('long ago')
  await receiver.received(2)
  const { stdout } = await ended
  const [, cursor = ''] = /--after (\S+)$/m.exec(stdout) ?? []
  await say('missed')
  app.clock.at = new Date() // for today there are partitions
  await say('lately')
  const token = await app.token(['chat:read'])
  const isTooLate = async () => (await app.request(`GET /v1/events?after=${cursor}`, { token })).status === 410
  await expect.poll(isTooLate).toBe(true) // what this process has just read and holds is no reason to refuse
  const refused = await listenTo(receiver.url, token, '--after', cursor)
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^after: .* are not kept any more\./) })
})
