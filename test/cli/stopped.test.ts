import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { readLogins, writeLogins } from '../../src/cli/login/login-file.ts'
import { temporaryFolder } from '../support/folder.ts'
import { createConsole, secretFiles } from './console.ts'

vi.setConfig({ testTimeout: 14_000 }) // less than an answer is waited for

const home = temporaryFolder()
const fileWith = secretFiles()
afterAll(() => {
  home[Symbol.dispose]()
  fileWith[Symbol.dispose]()
})
const shell = createConsole(undefined, home.path)

/** The lock of logins, as another command holds it. */
function heldLock(): Disposable {
  const path = join(home.path, 'credentials.lock')
  writeFileSync(path, '')
  return { [Symbol.dispose]: () => rmSync(path) }
}

/** Runs a command against a service of which this is all, and stops it when something has come to pass. */
async function runStopped(
  words: readonly string[],
  answer: (stop: () => void) => RequestListener,
  prepare = (_url: string) => {},
) {
  const stopped = new AbortController()
  const stop = () => setImmediate(() => stopped.abort()) // when the command waits again
  const server = createServer(answer(stop)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  prepare(url)
  try {
    return await shell.run([...words, '--url', url], { stopping: stopped.signal })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const codes = (interval: number) =>
  JSON.stringify({
    device_code: 'device',
    user_code: 'CODE',
    verification_uri: 'http://127.0.0.1/device',
    verification_uri_complete: 'http://127.0.0.1/device?user_code=CODE',
    expires_in: 600,
    interval,
  })

const nothingKept = {
  status: 1,
  stdout: '',
  stderr: 'Stopped before it was done: nothing was kept. The command can be run again.\n',
}

test('login that is stopped says that nothing was kept, whether it pauses or the service does not answer, or another command changes logins', async () => {
  const login = ['login', '--client-id', 'cli_x']
  const pausing = (stop: () => void): RequestListener => {
    return (_, response) => response.end(codes(600)).once('close', stop)
  }
  expect(await runStopped(login, pausing)).toMatchObject(nothingKept)
  const silent = (stop: () => void): RequestListener => {
    return ({ url }, response) => (url === '/oauth/token' ? stop() : response.end(codes(0)))
  }
  expect(await runStopped(login, silent)).toMatchObject(nothingKept)
  const tokens = { access_token: 'a', refresh_token: 'r', expires_in: 3600, scope: 'chat:read' }
  const allowing = (stop: () => void, path: string): RequestListener => {
    const answers: Record<string, unknown> = { '/oauth/token': tokens, '/v1/users/me': {} }
    return ({ url = '' }, response) => {
      if (url === path) stop()
      else response.end(answers[url] ? JSON.stringify(answers[url]) : codes(0))
    }
  }
  expect(await runStopped(login, (stop) => allowing(stop, '/v1/users/me'))).toMatchObject(nothingKept)
  {
    using _ = heldLock()
    const named = (stop: () => void): RequestListener => {
      const answer = allowing(stop, '')
      return (request, response) => {
        answer(request, response)
        if (request.url === '/v1/users/me') response.once('close', stop)
      }
    }
    expect(await runStopped(login, named)).toMatchObject(nothingKept)
  }
  expect(readLogins(home.path).logins).toEqual({})
  const { stdout } = await runStopped([...login, '--json'], silent)
  expect(JSON.parse(stdout).error.code).toBe('stopped')
})

test('listen that is stopped tells what came, whether the service does not answer, is silent, or is away', async () => {
  const listen = ['events', 'listen', '--forward-to', 'http://127.0.0.1:9/', '--key-file', fileWith('lsk_x')]
  const ended = { status: 0, stdout: expect.stringMatching(/^Events taken: 0, not taken: 0\.$/m) }
  expect(await runStopped(listen, (stop) => stop)).toMatchObject({ ...ended, stderr: '' })
  const begun = [...listen, '--since', '2026-01-02T00:00:00Z']
  const stream: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  }
  const silent =
    (stop: () => void): RequestListener =>
    (request, response) => {
      stream(request, response)
      stop()
    }
  expect(await runStopped(begun, silent)).toMatchObject({ ...ended, stderr: '' })
  const away = (stop: () => void): RequestListener => {
    let asked = 0
    return (request, response) => {
      if (asked++ === 0) {
        stream(request, response)
        setImmediate(() => response.destroy())
      } else {
        response.destroy()
        stop()
      }
    }
  }
  const lost = 'Connection lost: reconnecting.\n'
  expect(await runStopped(begun, away)).toMatchObject({ ...ended, stderr: lost })
})

test('listen that is stopped ends at once, also while its login is renewed, by it or by another command', async () => {
  const listen = ['events', 'listen', '--forward-to', 'http://127.0.0.1:9/']
  const over = { client_id: 'cli_x', username: 'ada', access_token: 'a', refresh_token: 'r', scope: 'chat:read' }
  const ended = { status: 0, stdout: expect.stringMatching(/^Events taken: 0, not taken: 0\.$/m), stderr: '' }
  const logIn = (url: string) =>
    writeLogins(home.path, { current: url, logins: { [url]: { ...over, expires_at: new Date(0).toISOString() } } })
  const asked: string[] = []
  const silent =
    (stop: () => void): RequestListener =>
    ({ url = '' }) => {
      asked.push(url)
      stop()
    }
  expect(await runStopped(listen, silent, logIn)).toMatchObject(ended)
  using _ = heldLock()
  const waiting = (stop: () => void) => {
    setTimeout(stop, 300) // nothing tells that a lock is waited for; a stop before it ends the command as well
    return silent(stop)
  }
  expect(await runStopped(listen, waiting, logIn)).toMatchObject(ended)
  expect(asked).toEqual(['/oauth/token'])
  expect(Object.values(readLogins(home.path).logins)).toMatchObject([over])
})
