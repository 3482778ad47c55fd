import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { listChannels } from '../../src/domain/channels.ts'
import { authenticateClient } from '../../src/domain/oauth/client/authenticate-client.ts'
import { DEVICE_CODE_GRANT } from '../../src/shared/grants.ts'
import { createTestContext } from '../support/context.ts'
import { CALLBACK } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { commandsThatExist, createConsole } from './console.ts'

let own: Awaited<ReturnType<typeof createTestContext>>
let run: ReturnType<typeof createConsole>['run']
let answerOf: ReturnType<typeof createConsole>['answerOf']
let answerTo: ReturnType<typeof createConsole>['answerTo']
beforeAll(async () => {
  own = await createTestContext()
  ;({ run, answerOf, answerTo } = createConsole(own.context))
})
afterAll(() => own[Symbol.asyncDispose]())

const caller = {
  authorization: undefined,
  session: undefined,
  address: '127.0.0.1',
  isForwarded: false,
  requestId: 'r',
  userAgent: undefined,
}

describe('applications and keys', () => {
  test('a confidential application gets a secret that works', async () => {
    const made = await answerOf('client', 'create', '--name', 'A bot', '--scopes', 'channel:read,category:read')
    expect(made).toMatchObject({ name: 'A bot', confidential: true, scopes: ['channel:read', 'category:read'] })
    const claim = { id: made.client_id, secret: made.client_secret, scheme: 'Basic' } as const
    expect((await authenticateClient({ ...own.context, caller }, claim)).id).toBe(made.client_id)
  })

  test('a public application has none', async () => {
    const uris = ['--redirect-uri', 'http://127.0.0.1/callback', '--redirect-uri', 'org.example.app:/callback']
    const made = await answerOf('client', 'create', '--name', 'Desktop', '--public', ...uris)
    expect(made).toMatchObject({ confidential: false, client_secret: null })
    expect(made.redirect_uris).toEqual(['http://127.0.0.1/callback', 'org.example.app:/callback'])
  })

  test('an application for devices is registered for their codes, without a redirect address', async () => {
    const made = await answerOf('client', 'create', '--name', 'Television', '--public', '--device')
    expect(made.grant_types).toEqual(['refresh_token', DEVICE_CODE_GRANT])
    const site = await answerOf('client', 'create', '--name', 'Site', '--device', '--redirect-uri', CALLBACK)
    expect(site.grant_types).toEqual(['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE_GRANT])
  })

  test('an application and an account are stopped and let in again', async () => {
    const { client_id: id } = await answerOf('client', 'create', '--name', 'Spammer')
    expect(await answerOf('client', 'disable', id)).toEqual({ id, disabled: true })
    expect(await answerOf('client', 'enable', id)).toEqual({ id, disabled: false })
    const { id: userId } = await answerOf('user', 'create', '--username', 'troll', '--email', 'troll@example.org')
    expect(await answerOf('user', 'disable', 'troll')).toEqual({ id: userId, disabled: true })
    expect((await run(['user', 'disable', 'troll'])).status).toBe(1)
    expect(await answerOf('user', 'enable', 'troll')).toEqual({ id: userId, disabled: false })
    expect((await run(['user', 'reset-factors', 'troll'])).status).toBe(1)
  })

  test('a key is made, inspected, replaced and revoked', async () => {
    const { client_id } = await answerOf('client', 'create', '--name', 'Jobs', '--scopes', 'channel:read,category:read')
    const key = await answerOf('key', 'create', '--client', client_id, '--name', 'Nightly', '--scopes', 'channel:read')
    expect(await authenticate(own.context, key.key)).toMatchObject({ clientId: client_id, scopes: ['channel:read'] })
    const inspected = { kind: 'api_key', active: true, client_id, user_id: null, scopes: ['channel:read'] }
    expect(await answerTo(key.key, 'token', 'inspect')).toMatchObject(inspected)

    const { items } = await answerOf('key', 'list', '--client', client_id)
    expect(items).toMatchObject([{ id: key.id, name: 'Nightly', last4: key.key.slice(-4) }])
    expect(JSON.stringify(items)).not.toContain(key.key)
    expect((await run(['key', 'list', '--client', client_id])).stdout).toMatch(/^id .* key .*\nkey_.* lsk_.*…/)

    const rolled = await answerOf('key', 'roll', key.id)
    expect(rolled).toMatchObject({ name: 'Nightly', scopes: ['channel:read'] })
    await authenticate(own.context, key.key)
    await authenticate(own.context, rolled.key)

    expect(await answerOf('key', 'revoke', rolled.id)).toEqual({ id: rolled.id, revoked: true })
    await expect(authenticate(own.context, rolled.key)).rejects.toMatchObject({ code: 'invalid_token' })
    const { status, stdout } = await run(['token', 'inspect', '--json'], { input: rolled.key })
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { kind: 'api_key', active: false, client_id }])
  })
})

describe('client list and log', () => {
  test('tell which applications there are, and who did what to one', async () => {
    const { client_id } = await answerOf('client', 'create', '--name', 'Listed', '--scopes', 'channel:read')
    const { items } = await answerOf('client', 'list')
    expect(items).toContainEqual(expect.objectContaining({ id: client_id, name: 'Listed' }))
    const { id } = await answerOf('key', 'create', '--client', client_id)
    const log = await answerOf('client', 'log', client_id)
    expect(log.items.map(({ action }: { action: string }) => action)).toEqual([
      'key.created',
      'secret.created',
      'application.created',
    ])
    expect((await run(['client', 'log', client_id])).stdout).toMatch(new RegExp(`key\\.created +operator +${id}$`, 'm'))
  })
})

describe('user create', () => {
  test('makes a password up unless one is given', async () => {
    const ada = await answerOf('user', 'create', '--username', 'Ada', '--email', 'ada@example.org')
    expect(ada).toMatchObject({ username: 'ada', email: 'ada@example.org' })
    expect(ada.password.length).toBeGreaterThanOrEqual(10)
    const grace = ['user', 'create', '--username', 'grace', '--email', 'grace@example.org']
    const made = await answerTo(`${PASSWORD}\n`, ...grace, '--password-file', '-')
    expect(made.password).toBe(PASSWORD)
  })
})

describe('seed', () => {
  test('fills the database, as often as it is run', async () => {
    expect(await answerOf('seed', '--size', '30')).toEqual({ channels: 30 })
    expect(await answerOf('seed', '--size', '30')).toEqual({ channels: 30 })
    const { items } = await listChannels(own.context, { limit: 100 })
    const seeded = items.filter(({ bio }) => bio === 'Made by seed.')
    expect([seeded.length, seeded.filter(({ is_live }) => is_live).length]).toEqual([60, 6])
  })

  test('shows its progress to a person, and to nobody else', async () => {
    expect((await run(['seed', '--size', '1'], { isTerminal: true })).progress).toMatch(/\[=+\] 1\/1\n$/)
    expect((await run(['seed', '--size', '1'])).progress).toBe('')
  })
})

test('the table of the README has every command that exists, and no other', async () => {
  const [, table = ''] = readFileSync('README.md', 'utf8').split('| Command | Does |\n')
  const [rows = ''] = table.split('\n\n')
  const named = rows.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
  const existing = await commandsThatExist()
  expect(existing).toContain('user verify-email')
  expect(named.map(([, name]) => name).toSorted()).toEqual(existing.toSorted())
})

test.each(await commandsThatExist())('%s explains itself with an example', async (command) => {
  const { status, stdout } = await run([...command.split(' '), '--help'])
  expect(status).toBe(0)
  expect(stdout).toContain(`Examples:\n  $ `)
  expect(stdout.match(/^ {2}\$ npx developer-api \S* ?\S+ \|/m), 'a line of a shell is no command of ours').toBeNull()
  expect(stdout).toContain(`npx developer-api ${command}`)
  expect(stdout).toContain('--json')
})
