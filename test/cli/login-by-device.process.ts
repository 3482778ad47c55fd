import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { eq, isNull } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { readLogins, writeLogins } from '../../src/cli/login/login-file.ts'
import { UsedLogin } from '../../src/cli/login/used-login.ts'
import { accessTokens, grants } from '../../src/db/schema/index.ts'
import { startReceiver } from '../support/receiver.ts'
import { createLoginShell } from './login-shell.ts'

vi.setConfig({ testTimeout: 60_000 }) // a device asks every five seconds

const { app, home, folder, shell, logInBy, ...opened } = await createLoginShell()
afterAll(() => opened[Symbol.asyncDispose]())
const file = join(folder, 'credentials.json')

const loginAt = () => {
  const login = UsedLogin.find(folder, app.base)
  if (!login) throw new Error('Nobody is logged in')
  return login
}
const living = () => app.context.db.$count(grants, isNull(grants.revokedAt))
/** Lets the access token of the login be over, by the clock of this machine. */
const letItEnd = () => {
  const kept = readLogins(folder)
  const logins = Object.entries(kept.logins).map(([url, one]) => [
    url,
    { ...one, expires_at: new Date(0).toISOString() },
  ])
  writeLogins(folder, { ...kept, logins: Object.fromEntries(logins) })
}
beforeEach(async () => {
  await app.context.db.delete(grants)
})

test('login keeps a grant of its own in a file that nobody else reads, and listen then speaks by it; logout ends it', async () => {
  const { status, stdout, stderr } = await logInBy('allow')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(`Logged in as grace at ${app.base}.\n`)
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  expect(readdirSync(folder)).toEqual(['credentials.json'])
  const { access_token, refresh_token } = readLogins(folder).logins[app.base] ?? {}
  expect(stdout).not.toContain(access_token)

  await using receiver = await startReceiver()
  const listen = ['events', 'listen', '--forward-to', receiver.url, '--timeout', '1']
  const heard = await shell.run(listen)
  expect(heard.stdout).toContain('Listening for all events')
  expect(heard.progress).toContain(`As grace at ${app.base}, by "login"`)

  expect(await living()).toBe(1)
  expect(await shell.answerOf('logout')).toMatchObject({ url: app.base, username: 'grace', revoked: true })
  expect(await living()).toBe(0)
  expect(readLogins(folder)).toEqual({ current: null, logins: {} })
  expect(readFileSync(file, 'utf8')).not.toContain(refresh_token)
  expect(await shell.run(listen)).toMatchObject({ status: 1, stderr: 'There is no database here\n' })
  expect((await shell.run(['logout'])).stderr).toBe('You are not logged in there.\n')
})

test('who refuses is believed, and nothing is kept', async () => {
  const { status, stderr } = await logInBy('deny')
  expect(status).toBe(1)
  expect(stderr).not.toBe('')
  expect(readLogins(folder).logins).toEqual({})
})

test('an access token that is over is renewed once, by whoever comes first, and the refresh token changes each time', async () => {
  await logInBy('allow', ['--scopes', 'chat:read,user:read'])
  const before = readLogins(folder).logins[app.base]
  letItEnd()
  const tokens = await Promise.all(Array.from({ length: 5 }, () => loginAt().accessToken()))
  expect(new Set(tokens).size).toBe(1)
  expect(tokens[0]).not.toBe(before?.access_token)
  const after = readLogins(folder).logins[app.base]
  expect(after?.refresh_token).not.toBe(before?.refresh_token)
  expect(after?.scope).toBe('chat:read user:read')
  const used = await app.request('GET /v1/users/me', { token: tokens[0] })
  expect(used.status).toBe(200)
  expect(await living()).toBe(1)
  expect(existsSync(join(folder, 'credentials.lock'))).toBe(false)

  await app.context.db.update(grants).set({ revokedAt: new Date(), revokeReason: 'user' })
  letItEnd()
  await expect(loginAt().accessToken()).rejects.toMatchObject({ problem: { code: 'login_ended' } })
})

test('listen outlives its access token', async () => {
  await logInBy('allow')
  const before = readLogins(folder).logins[app.base]?.access_token
  await using receiver = await startReceiver()
  const stop = new AbortController()
  const ended = shell.run(['events', 'listen', '--forward-to', receiver.url, '--json'], {
    stopping: stop.signal,
    onWrite: (line) => {
      if (!line.includes('signing_secret')) return
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
      const theirs = eq(accessTokens.userId, app.grace.id)
      void app.context.db
        .update(accessTokens)
        .set({ expiresAt: new Date(0) })
        .where(theirs)
        .execute()
    },
  })
  await expect.poll(() => readLogins(folder).logins[app.base]?.access_token).not.toBe(before)
  stop.abort()
  const { status, stderr, stdout } = await ended
  vi.useRealTimers()
  expect({ status, stderr, stdout: stdout.split('\n').length }).toEqual({ status: 0, stderr: '', stdout: 3 })
})

test('a key of a file or of the environment comes before a login', async () => {
  await logInBy('allow')
  const keyFile = join(home, 'key')
  writeFileSync(keyFile, 'lsk_wrong\n')
  await using receiver = await startReceiver()
  const listen = ['events', 'listen', '--forward-to', receiver.url, '--timeout', '1']
  expect((await shell.run([...listen, '--key-file', keyFile, '--url', app.base])).stderr).toContain('invalid')
  vi.stubEnv('DEVELOPER_API_KEY', 'lsk_wrong')
  expect((await shell.run([...listen, '--url', app.base])).stderr).toContain('invalid')
  vi.unstubAllEnvs()
  expect((await shell.run([...listen, '--url', 'http://127.0.0.1:9'])).stderr).toContain('or a login')
})

test('a file that others may read, a link and what is no file of ours are refused, and nothing of them is told', async () => {
  writeLogins(folder, { current: null, logins: {} })
  chmodSync(file, 0o640)
  const refused = async () => (await shell.run(['logout'])).stderr
  expect(await refused()).toContain('can be read by others')
  chmodSync(file, 0o600)
  writeFileSync(file, '{"secret": tokens}')
  expect(await refused()).toMatch(/is not as "login" writes it/)
  expect(await refused()).not.toContain('tokens')
  renameSync(file, join(folder, 'elsewhere'))
  symlinkSync(join(folder, 'elsewhere'), file)
  expect(await refused()).toContain('is a link')
  writeLogins(folder, { current: null, logins: {} })
  expect(statSync(file).isFile() && readFileSync(join(folder, 'elsewhere'), 'utf8')).toContain('tokens')
  chmodSync(folder, 0o777)
  expect(await refused()).toContain('can be written to by others')
  chmodSync(folder, 0o700)
})

test('tokens go over TLS, or stay on this machine', async () => {
  for (const url of ['http://api.example.com', 'https://user:secret@api.example.com', 'https://api.example.com/path']) {
    const { status, stderr } = await shell.run(['login', '--client-id', 'cli_x', '--url', url])
    expect([url, status, stderr]).toEqual([url, 1, expect.stringMatching(/--url must (be|hold)/)])
  }
})
