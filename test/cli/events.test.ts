import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { issueDirectly } from '../../src/domain/oauth/issue.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createTestContext } from '../support/context.ts'
import { startReceiver, verifyReceived } from '../support/receiver.ts'
import { createConsole } from './console.ts'

let own: Awaited<ReturnType<typeof createTestContext>>
let alice: UserContext
let shell: ReturnType<typeof createConsole>

beforeAll(async () => {
  own = await createTestContext()
  shell = createConsole(own.context)
  const { id: userId, username } = await own.user('alice')
  const { id: clientId } = await own.client()
  await issueDirectly(own.context, { clientId, userId, scopes })
  alice = { ...own.context, principal: { kind: 'user', userId, username, clientId, scopes } }
})
afterAll(() => own[Symbol.asyncDispose]())

const say = (content: string) => sendMessage(alice, { room_name: 'alice', content })

test('listen forwards what happens from now on, signed with the secret that it shows', async () => {
  await using receiver = await startReceiver()
  await say('too early')
  const { promise: begun, resolve: begin } = promised<string>()
  const onWrite = (text: string) => begin(text)
  const listening = shell.run(['events', 'listen', '--forward-to', receiver.url, '--count', '2', '--json'], { onWrite })
  const { signing_secret } = JSON.parse(await begun)
  await say('first')
  await say('second')

  const { status, stdout } = await listening
  expect(status).toBe(0)
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['first', 'second'])
  for (const request of receiver.requests) verifyReceived(request, signing_secret)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(1)).toMatchObject({ type: 'chat.message.sent', status: 204, error_class: null })
  expect(lines.at(-1)).toEqual({ forwarded: 2, failed: 0, failed_since: null, cursor: lines.at(2).cursor })
})

test('listen also hears an event that is committed behind a later one, and sends none twice', async () => {
  await using receiver = await startReceiver()
  const { promise: begun, resolve: begin } = promised<string>()
  const onWrite = (text: string) => begin(text)
  const listening = shell.run(['events', 'listen', '--forward-to', receiver.url, '--count', '3'], { onWrite })
  await begun
  const at = own.clock.at.getTime()
  own.clock.at = new Date(at + 4_000)
  await say('later')
  await receiver.received(1)
  own.clock.at = new Date(at + 2_000)
  await say('earlier, but committed late')
  await receiver.received(2)
  own.clock.at = new Date(at + 60_000)
  await say('much later')
  expect(await listening).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Events taken: 3, not taken: 0.'),
  })
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual([
    'later',
    'earlier, but committed late',
    'much later',
  ])
})

test('listen tells what was not taken and how to get it again, and takes no receiver that can be none', async () => {
  await using receiver = await startReceiver((_, n) => ({ status: n === 1 ? 500 : 204 }))
  const { promise: begun, resolve: begin } = promised<string>()
  const onWrite = (text: string) => begin(text)
  const listen = ['events', 'listen', '--count', '1', '--forward-to']
  const listening = shell.run([...listen, receiver.url], { onWrite, isTerminal: true })
  await begun
  await say('Is anybody there?')
  const { status, stdout } = await listening
  expect(status).toBe(1)
  expect(stdout).toMatch(/<bad>500 .*\nEvents taken: 0, not taken: 1\.$/m)
  const [, since = ''] = /^To get again what was not taken: --since (\S+)$/m.exec(stdout) ?? []
  expect((await shell.run([...listen, receiver.url, '--since', since])).status).toBe(0)
  const [first, again] = receiver.requests
  expect([again?.headers['webhook-id'], again?.body]).toEqual([first?.headers['webhook-id'], first?.body])
  for (const url of ['4000', '127.0.0.1:4000/hook', 'ftp://example.com']) {
    expect((await shell.run([...listen, url])).stderr).toMatch(/absolute http\(s\) URL/)
  }
})

test('listen goes back to a time or behind a cursor, of one channel or all, for the operator as well', async () => {
  await using receiver = await startReceiver()
  const bob = await own.user('bob')
  const since = own.context.now().toISOString()
  await say('one')
  await sendMessage(alice, { room_name: 'bob', content: 'to bob' })
  await say('two')
  const listen = async (...words: string[]) => {
    const { stdout } = await shell.run(['events', 'listen', '--forward-to', receiver.url, '--json', ...words])
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const [, first] = await listen('--since', since, '--count', '3')
  await listen('--after', first.cursor, '--count', '2')
  await listen('--since', since, '--channel', bob.id, '--count', '1')
  const said = receiver.requests.map(({ event }) => event.data.content)
  expect(said).toEqual(['one', 'to bob', 'two', 'to bob', 'two', 'to bob'])
  const [refusal] = await listen('--after', 'nonsense')
  expect(refusal.error.code).toBe('invalid_cursor')
})

test('trigger sends a sample to a receiver that has no subscription, and without a database', async () => {
  await using receiver = await startReceiver((_, n) => ({ status: n === 1 ? 200 : 500 }))
  const nowhere = createConsole()
  const trigger = ['events', 'trigger', 'livestream.started', '--forward-to', receiver.url]
  const sent = await nowhere.answerOf(...trigger)
  const [request] = receiver.requests
  expect(request?.event).toMatchObject({ id: sent.id, type: 'livestream.started', sequence: 0 })
  if (request) verifyReceived(request, sent.signing_secret)
  expect(await nowhere.run(trigger)).toMatchObject({ status: 1, stdout: expect.stringMatching(/^status +500$/m) })
  for (const [words, said] of [
    [['--subscription', 'sub_x'], /--forward-to <url>' cannot be used with option '--subscription <id>'/],
    [['--key-file', 'key.txt'], /'--forward-to <url>' cannot be used with option '--key-file/],
  ] as const) {
    expect((await nowhere.run([...trigger, ...words])).stderr).toMatch(said)
  }
  expect((await nowhere.run(['events', 'trigger', 'webhook.test'])).stderr).toBe(
    'say where to: --subscription, or --forward-to\n',
  )
})

test('trigger sends a sample of a type, and says how the receiver took it', async () => {
  await using receiver = await startReceiver((_, n) => ({ status: n === 1 ? 200 : 500 }))
  const { id, signing_secret } = await createSubscription(alice, {
    url: receiver.url,
    event_types: ['livestream.ended'],
  })
  const trigger = ['events', 'trigger', 'chat.message.sent', '--subscription', id]
  expect(await shell.answerOf(...trigger)).toMatchObject({ status: 200, error_class: null })
  const [request] = receiver.requests
  expect(request?.event).toMatchObject({ type: 'chat.message.sent', sequence: 0 })
  if (request) verifyReceived(request, signing_secret)
  expect((await shell.run(['events', 'trigger', 'x', '--subscription', id])).stderr).toMatch(
    /is none of webhook.test, /,
  )
  expect(await shell.run(trigger)).toMatchObject({
    status: 1,
    stderr: '',
    stdout: expect.stringMatching(/^status +500$/m),
  })
})

test('replay queues again what a subscription did not get', async () => {
  await using receiver = await startReceiver()
  const { id } = await createSubscription(alice, { url: receiver.url, event_types: ['chat.message.sent'] })
  const replay = ['events', 'replay', '--subscription', id]
  await say('missed')
  expect(await shell.answerOf(...replay)).toEqual({ queued: 0, hastened: 0 })
  await own.context.db.execute('delete from webhook_deliveries')
  expect(await shell.answerOf(...replay, '--only', 'missed')).toEqual({ queued: 1, hastened: 0 })
  expect((await shell.run([...replay, '--only', 'everything'])).stderr).toMatch(
    /"everything" is none of failed, missed, all/,
  )
  expect((await shell.run(replay, { isTerminal: true })).progress).toMatch(/\[=+\] 0 queued\n$/)
  expect((await shell.run(replay)).progress).toBe('')
})

function promised<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
