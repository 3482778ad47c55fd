import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readLogins } from '../../src/cli/login/login-file.ts'
import { makePartitions } from '../../src/db/partitions.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { issueDirectly } from '../../src/domain/oauth/issue.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { startReceiver } from '../support/receiver.ts'
import { commandsThatExist, createConsole, secretFiles } from './console.ts'
import { createLoginShell } from './login-shell.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 }) // a device asks every five seconds

const { app, folder, shell, logInBy, ...opened } = await createLoginShell()
afterAll(() => opened[Symbol.asyncDispose]())
beforeAll(async () => {
  await makePartitions(app.context.db, app.clock.at)
  expect((await logInBy('allow')).status).toBe(0)
})

const asGrace = (clientId: string | null) => ({
  ...app.context,
  principal: { kind: 'user' as const, userId: app.grace.id, username: 'grace', clientId, scopes },
})
const asApplication = (clientId: string) => ({
  ...app.context,
  principal: { kind: 'application' as const, clientId, scopes },
})
const tokenKept = () => readLogins(folder).logins[app.base]?.access_token
const refused = async (token: string | undefined) => {
  const { status, headers } = await app.request('GET /v1/categories/', { token })
  expect(status).toBe(403)
  await writeRequestLog(app.context)
  return headers.get('x-request-id') ?? ''
}

const words: Record<string, string[]> = {
  'events listen': ['--forward-to', 'http://127.0.0.1:9/', '--timeout', '1'],
  'events trigger': ['webhook.test', '--subscription', 'sub_x'],
  'events replay': ['--subscription', 'sub_x'],
  'request explain': ['x'],
}

test('every command that takes a key speaks by the login where none is given', async () => {
  const helps = (await commandsThatExist()).map(async (name) => {
    const { stdout } = await shell.run([...name.split(' '), '--help'])
    return stdout.includes('--key-file') ? [name] : []
  })
  const takeKeys = (await Promise.all(helps)).flat()
  expect(takeKeys).toEqual(Object.keys(words))
  for (const name of takeKeys) {
    const { progress, stderr } = await shell.run([...name.split(' '), ...(words[name] ?? [])])
    expect(progress, name).toContain(`As grace at ${app.base}, by "login"`)
    expect(stderr, name).not.toContain('database here')
  }
})

test('where no service is named, each of them, and login, speaks to that of the demo data', async () => {
  const here = createConsole(undefined, '/nowhere', app.base)
  using fileWith = secretFiles()
  for (const [name, given] of Object.entries(words)) {
    const { stderr } = await here.run([...name.split(' '), ...given, '--key-file', fileWith('lsk_wrong')])
    expect(stderr, name).toBe('The credential is invalid, expired or revoked.\n')
  }
  expect((await here.run(['login', '--client-id', 'cli_x'])).stderr).toBe('Client authentication failed.\n')
})

test('trigger and replay reach the webhooks that the application made for whoever logged in, and say what the others want', async () => {
  await using receiver = await startReceiver()
  const hook = { url: receiver.url, event_types: ['chat.message.sent'] }
  const { id } = await createSubscription(asGrace(app.native.id), hook)
  const trigger = (of: string) => ['events', 'trigger', 'chat.message.sent', '--subscription', of]
  const replay = (of: string) => ['events', 'replay', '--only', 'missed', '--subscription', of]
  expect(await shell.answerOf(...trigger(id))).toMatchObject({ status: 204 })
  await sendMessage(asGrace(null), { room_name: 'grace', content: 'Missed' })
  await app.context.db.execute('delete from webhook_deliveries')
  expect(await shell.answerOf(...replay(id))).toEqual({ queued: 1, hastened: 0 })

  const others = [
    await createSubscription(asApplication(app.native.id), hook),
    await createSubscription(asGrace(app.client.id), hook),
  ]
  for (const other of others)
    for (const words of [trigger(other.id), replay(other.id)]) {
      const { status, stdout } = await shell.run([...words, '--json'])
      const { code, message } = JSON.parse(stdout).error
      expect([status, code]).toEqual([1, 'subscription_not_found'])
      expect(message).toMatch(new RegExp(`what ${app.native.id} does for you.*--key-file.*--operator`))
    }
  const operator = createConsole(app.context, folder)
  expect(await operator.answerOf(...replay(others[0]?.id ?? ''), '--operator')).toEqual({ queued: 0, hastened: 0 })
})

test('explain tells what the application asked in the name of whoever logged in, and in nobody else’s', async () => {
  const { items } = await shell.answerOf('request', 'explain', await refused(tokenKept()))
  expect(items).toMatchObject([
    { code: 'insufficient_scope', application_id: app.native.id, address: null, sent: null },
  ])
  const tokenOf = async (userId: string, clientId: string) =>
    (await issueDirectly(app.context, { clientId, userId, scopes: ['chat:read'] })).access_token
  for (const token of [await tokenOf(app.ada.id, app.native.id), await tokenOf(app.grace.id, app.client.id)]) {
    const { status, stderr } = await shell.run(['request', 'explain', await refused(token)])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/no answer to this application, asked .* for you.*--key-file/),
    ])
  }
})

test('a login that was not asked for webhooks says which scope to log in with', async () => {
  await logInBy('allow', ['--scopes', 'user:read,chat:read'])
  const { status, stderr } = await shell.run(['events', 'trigger', 'webhook.test', '--subscription', 'sub_x'])
  expect([status, stderr]).toEqual([1, expect.stringMatching(/"webhook:write".*npx developer-api login --scopes/)])
})
