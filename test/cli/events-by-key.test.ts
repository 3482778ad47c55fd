import { EventEmitter, once } from 'node:events'
import { afterAll, expect, test, vi } from 'vitest'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import type { CallerContext, UserContext } from '../../src/domain/core/context.ts'
import { ProcessStreams } from '../../src/domain/events/streams/process-streams.ts'
import { createBan } from '../../src/domain/moderation.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { drain } from '../../src/process/listen.ts'
import { createHttpServer } from '../../src/rest/http/server.ts'
import { createLiveApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { startReceiver, verifyReceived } from '../support/receiver.ts'
import { createConsole, secretFiles } from './console.ts'

const app = await createLiveApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const eve = await app.user('eve')
const client = await app.client()
const key = await app.token(['webhook:write', 'chat:read', 'livestream:read'], { client })
const shell = createConsole() // its commands have the service, and no database

const asAda: UserContext = {
  ...app.context,
  principal: { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes: [] },
}
const asApplication = (clientId: string): CallerContext => ({
  ...app.context,
  principal: { kind: 'application', clientId, scopes: ['webhook:write'] },
})
const say = (content: string) => sendMessage(asAda, { room_name: 'ada', content })
const fileWith = secretFiles()
afterAll(() => fileWith[Symbol.dispose]())
const speaking = (credential = key) => ['--key-file', fileWith(credential), '--url', app.base]

/** A `listen` that has begun. */
async function listen(url: string, ...options: string[]) {
  const words = ['events', 'listen', '--forward-to', url, '--json', ...options]
  const life = new EventEmitter()
  const begun = once(life, 'line')
  const ended = shell.run(words, { onWrite: (line) => life.emit('line', line) })
  const [first] = await begun
  return { secret: JSON.parse(first).signing_secret, ended }
}

test('listen hears the service as an application: every channel, without moderation, signed with the secret it shows', async () => {
  await using receiver = await startReceiver()
  await say('too early')
  const { secret, ended } = await listen(receiver.url, '--count', '2', ...speaking())
  await createBan(asAda, { user_id: eve.id })
  await say('first')
  await sendMessage(
    { ...asAda, principal: { ...asAda.principal, userId: eve.id, username: 'eve' } },
    { room_name: 'eve', content: 'second' },
  )
  expect((await ended).status).toBe(0)
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['first', 'second'])
  for (const request of receiver.requests) verifyReceived(request, secret)
})

test('listen chooses by type', async () => {
  await using receiver = await startReceiver()
  const { id } = await say('to be deleted')
  const { ended } = await listen(receiver.url, '--count', '1', '--types', 'chat.message.deleted', ...speaking())
  await say('not asked for')
  await deleteMessage(asAda, id)
  expect((await ended).status).toBe(0)
  expect(receiver.requests.map(({ event }) => event.type)).toEqual(['chat.message.deleted'])
})

test('trigger and replay are for the subscriptions of the application', async () => {
  await using receiver = await startReceiver()
  const hook = { url: receiver.url, event_types: ['chat.message.sent'] }
  const { id, signing_secret: secret } = await createSubscription(asApplication(client.id), hook)
  const trigger = ['events', 'trigger', 'livestream.started', '--subscription', id]
  const replay = ['events', 'replay', '--only', 'missed', '--subscription', id]
  expect(await shell.answerOf(...trigger, ...speaking())).toMatchObject({ status: 204, error_class: null })
  for (const request of receiver.requests) verifyReceived(request, secret)
  await say('missed')
  await app.context.db.execute('delete from webhook_deliveries')
  expect(await shell.answerOf(...replay, ...speaking())).toEqual({ queued: 1, hastened: 0 })

  const stranger = await app.token(['webhook:write'], { client: await app.client() })
  for (const words of [trigger, replay]) {
    const { status, stdout } = await shell.run([...words, '--json', ...speaking(stranger)])
    expect([status, JSON.parse(stdout).error.code]).toEqual([1, 'subscription_not_found'])
  }
})

test('a key may stand in the environment, where no list of processes shows it', async () => {
  vi.stubEnv('DEVELOPER_API_KEY', key)
  vi.stubEnv('DEVELOPER_API_URL', app.base)
  const answer = await shell.run(['events', 'replay', '--subscription', 'sub_x', '--json'])
  vi.unstubAllEnvs()
  expect(JSON.parse(answer.stdout).error.code).toBe('subscription_not_found')
})

test('an address without a key is no service to speak to, and not the database of this machine either', async () => {
  const { status, stderr } = await shell.run(['events', 'replay', '--subscription', 'sub_x', '--url', app.base])
  expect([status, stderr]).toEqual([
    1,
    '--url needs a key, or a login (npx developer-api login): without one a command works on the database of this machine\n',
  ])
})

test('what the service refuses is said in its words, and that it is not there', async () => {
  const words = ['events', 'listen', '--forward-to', 'http://127.0.0.1:9/hook']
  expect(await shell.run([...words, ...speaking('nonsense')])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'The credential is invalid, expired or revoked.\n',
  })
  const weak = await app.token(['category:read'], { client })
  const refused = await shell.run([...words, '--json', ...speaking(weak)])
  expect(JSON.parse(refused.stdout).error.code).toBe('insufficient_scope')
  const nowhere = `http://127.0.0.1:${await freePort()}`
  expect((await shell.run([...words, '--key-file', fileWith(key), '--url', nowhere])).stderr).toMatch(
    /^There is no answer of the service at http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\): does it run, /,
  )
  const notIts = await shell.run([...words, '--key-file', fileWith(key), '--url', `${app.base}/console`])
  expect(notIts.stderr).toBe('--url must be an address without a path\n')
  expect((await shell.run([...words, '--key-file', fileWith(key), '--url', '127.0.0.1:3000'])).stderr).toMatch(
    /absolute http\(s\) URL/,
  )
  expect((await shell.run([...words, '--secret-file', fileWith('nonsense')])).stderr).toMatch(
    /A signing secret is "whsec_"/,
  )
})

test('a signing secret that was given is used, and shown nowhere', async () => {
  await using receiver = await startReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const to = ['--forward-to', receiver.url, '--secret-file', fileWith(secret)]
  const trigger = ['events', 'trigger', 'livestream.started', ...to]
  const listening = ['events', 'listen', '--timeout', '1', '--count', '1', ...to, ...speaking()]
  for (const words of [trigger, [...trigger, '--json'], listening, [...listening, '--json']]) {
    const { stdout, stderr } = await shell.run(words)
    expect(stdout).not.toBe('')
    expect(stdout + stderr).not.toContain('whsec_')
  }
  for (const request of receiver.requests) verifyReceived(request, secret)
  expect(receiver.requests).toHaveLength(2)
})

test('listen connects again when it was cut off: what happened meanwhile arrives, and nothing comes twice', async () => {
  await using receiver = await startReceiver()
  const { ended } = await listen(receiver.url, '--count', '3', ...speaking())
  await say('before')
  await receiver.received(1)
  app.server.closeAllConnections()
  await say('while it was away')
  await receiver.received(2)
  await say('after')
  expect((await ended).status).toBe(0)
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['before', 'while it was away', 'after'])
})

test('a stop of the service is no end: listen goes on with the one that follows', async () => {
  await using receiver = await startReceiver()
  const { ended } = await listen(receiver.url, '--count', '2', ...speaking())
  await say('before the stop')
  await receiver.received(1)
  app.stop()
  await drain(app.server, { trustedProxies: 0 })
  await say('between the two')
  const parts = { ...app.context, stopping: new AbortController().signal }
  const context = { ...parts, streams: new ProcessStreams(parts) }
  const { log, publicUrl } = context
  const next = createHttpServer({ contextOf: () => context, log, publicUrl, trustProxy: 0 })
  await once(next.listen(Number(new URL(app.base).port), '127.0.0.1'), 'listening')
  expect((await ended).status).toBe(0)
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['before the stop', 'between the two'])
  next.close()
  next.closeAllConnections()
})
