import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { accessTokens } from '../../src/db/schema/index.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { createTestContext } from '../support/context.ts'
import { createConsole } from './console.ts'

const own = await createTestContext()
afterAll(() => own[Symbol.asyncDispose]())
const { run, answerOf, answerTo } = createConsole(own.context)
const inspect = (input: string = '', ...options: string[]) => run(['token', 'inspect', ...options], { input })

/** The rows that a person sees, each as name and value. */
const columnsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))

test('tells whose an access token is', async () => {
  const user = await own.user('alice')
  const token = await own.token(['chat:read'], { user })
  const found = { kind: 'access_token', active: true, user_id: user.id, username: 'alice', scopes: ['chat:read'] }
  expect(await answerTo(token, 'token', 'inspect')).toMatchObject(found)
})

test('takes no credential among its arguments, and says how without repeating it', async () => {
  const token = await own.token(['chat:read'])
  const { status, stdout, stderr } = await run(['token', 'inspect', token])
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^a credential among the arguments is shown to everybody [^\n]+ token inspect < FILE\n$/)
  expect(stderr).not.toContain(token)
})

test('reads from standard input, so that no shell remembers the token', async () => {
  const { status, stdout } = await run(['token', 'inspect', '-'], { input: `${await own.token(['chat:read'])}\n` })
  expect(status).toBe(0)
  expect(stdout).toMatch(/^kind +access_token$/m)
})

test('says first whether it works and until when, and leaves out what there is not', async () => {
  const user = await own.user('rowena')
  const named = await inspect(await own.token(['chat:read'], { user }))
  expect(columnsOf(named.stdout)).toEqual([
    ['works', 'yes'],
    ['kind', 'access_token'],
    ['expires_at', expect.stringMatching(/^\d{4}-/)],
    ['scopes', 'chat:read'],
    ['username', 'rowena'],
    ['user_id', user.id],
    ['client_id', expect.stringMatching(/^cli_/)],
  ])
  const { client_id, client_secret } = await answerOf('client', 'create', '--name', 'A job', '--scopes', 'chat:read')
  expect(columnsOf((await inspect(client_secret)).stdout)).toEqual([
    ['works', 'yes'],
    ['kind', 'client_secret'],
    ['expires_at', 'never'],
    ['scopes', 'chat:read'],
    ['client_id', client_id],
  ])
})

test('says why a credential does not work, with status 1', async () => {
  const [expired, revoked] = [await own.token(['chat:read']), await own.token(['chat:read'])]
  const is = (token: string) => eq(accessTokens.hash, sha256(token))
  await own.context.db
    .update(accessTokens)
    .set({ expiresAt: inMs(-1) })
    .where(is(expired))
  await own.context.db
    .update(accessTokens)
    .set({ revokedAt: inMs(0) })
    .where(is(revoked))
  const { client_id, client_secret } = await answerOf('client', 'create', '--name', 'Stopped')
  const { key } = await answerOf('key', 'create', '--client', client_id)
  await answerOf('client', 'disable', client_id)
  for (const [credential, why] of [
    [expired, 'it has expired'],
    [revoked, 'it was revoked, or its application or account is stopped'],
    [key, 'it was revoked, or its application is stopped'],
    [client_secret, 'its application is stopped'],
  ]) {
    const { status, stdout } = await inspect(credential)
    expect([status, columnsOf(stdout)[0]]).toEqual([1, ['works', `no: ${why}`]])
  }
})

test('knows nothing of what it did not issue', async () => {
  const { status, stdout } = await inspect('nonsense')
  expect([status, stdout]).toEqual([1, 'works  no: nothing like it was issued here\n'])
  const { stdout: json } = await inspect('nonsense', '--json')
  expect(JSON.parse(json)).toMatchObject({ kind: 'unknown', active: false, scopes: [] })
})
