import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { build, environment, folderWithCluster, run } from '../support/process.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Runs a line of a shell in which `$service` is the service, with a folder of its own as `$DATA_DIR`. */
async function startShell(line: string) {
  build()
  const folder = folderWithCluster()
  const base = `http://127.0.0.1:${await freePort()}`
  const given = { DATA_DIR: folder.path, PORT: new URL(base).port, service: `${process.execPath} dist/main.js` }
  const child = spawn('sh', ['-c', line], { env: environment({ ...given, LOG_LEVEL: 'debug' }), stdio: 'ignore' })
  const ended = once(child, 'exit')
  const ask = (path: string, init?: RequestInit) => fetch(base + path, init).catch(() => undefined)
  const dispose = async () => {
    child.kill('SIGKILL')
    await ended
    folder[Symbol.dispose]()
  }
  return { child, ended, ask, base, folder: folder.path, [Symbol.asyncDispose]: dispose }
}

test.each([
  ['the disk is full', 'exec $service > /dev/full 2>&1'],
  ['nobody reads', 'mkfifo $DATA_DIR/log; sleep 60 < $DATA_DIR/log & exec $service > $DATA_DIR/log 2>&1'],
  ['the reader has gone', 'mkfifo $DATA_DIR/log; sleep 0.1 < $DATA_DIR/log & exec $service > $DATA_DIR/log 2>&1'],
])('the service serves and stops though its output goes nowhere: %s', async (_, line) => {
  await using shell = await startShell(line)
  const isReady = async () => (await shell.ask('/health/ready'))?.status
  await expect.poll(isReady, { timeout: 30_000, interval: 200 }).toBe(200)
  for (let n = 0; n < 1_000; n++) await shell.ask('/health/') // more lines than a pipe holds
  const { users } = JSON.parse(readFileSync(join(shell.folder, 'demo.json'), 'utf8'))
  const headers = { authorization: `Bearer ${users.viewer.access_token}` }
  expect((await shell.ask('/v1/users/me', { headers }))?.status).toBe(200)
  const begunMs = performance.now()
  shell.child.kill('SIGTERM')
  expect(await shell.ended).toEqual([0, null])
  expect(performance.now() - begunMs).toBeLessThan(15_000)
})

test('a command whose output is not read to its end says nothing about that', async () => {
  const piped = (words: string) =>
    run('sh', ['-c', `{ sleep 0.1; ${process.execPath} bin/developer-api.mjs ${words}; } | true`])
  for (const words of ['--help', 'events --help', 'token inspect --json', 'nonsense 2>&1'])
    expect(await piped(words)).toEqual({ status: 0, stdout: '', stderr: '' })
  const full = await run('sh', ['-c', `${process.execPath} bin/developer-api.mjs --help > /dev/full`])
  expect(full).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^developer-api: .*ENOSPC.*\n$/) })
})
