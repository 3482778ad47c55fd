import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { runCommand, startProcess } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 }) // a database is made

const folder = temporaryFolder()
const env = { DATA_DIR: folder.path, DEMO_DATA: 'off', LOG_LEVEL: 'error' } // a busy machine's slow statements are warnings
afterAll(() => folder[Symbol.dispose]())

const createUser = ['user', 'create', '--username', 'linus', '--email', 'linus@example.org', '--json']
const error = { code: 'invalid_request', message: 'username: is taken.' }
const taken = { status: 1, stdout: `${JSON.stringify({ error })}\n`, stderr: '' }

test('without a service a command starts the database for its own time', async () => {
  // where the machine is slow the log says that the database is waited for
  expect(await runCommand(createUser, env)).toMatchObject({
    status: 0,
    stderr: expect.not.stringMatching(/^developer-api:/m),
  })
  expect(existsSync(join(folder.path, 'postgres', 'data'))).toBe(true)
  expect(existsSync(join(folder.path, 'postgres', 'owner.json'))).toBe(false)
})

test('serve is the service; beside it commands work on the same data, and worker delivers', async () => {
  await using service = await startProcess({ ...env, LOG_LEVEL: 'info' }, ['bin/developer-api.mjs', 'serve'])
  await service.output.holds(/The service is ready/)
  expect((await fetch(`${service.base}/health/ready`)).status).toBe(200)
  expect(await runCommand(createUser, env)).toEqual(taken)
  const made = await runCommand(['client', 'create', '--name', 'A bot', '--json'], env)
  expect({ status: made.status, stderr: made.stderr }).toEqual({ status: 0, stderr: '' })
  const { client_id, client_secret } = JSON.parse(made.stdout)
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  expect((await fetch(`${service.base}/oauth/token`, { method: 'POST', body })).status).toBe(200)
  expect(JSON.parse((await runCommand(['migrate', '--json'], env)).stdout)).toEqual({ applied: 0 })
  await using worker = await startProcess({ ...env, LOG_LEVEL: 'info' }, ['bin/developer-api.mjs', 'worker'])
  await worker.output.holds(/Webhook worker started/)
  expect(await worker.stop()).toBe(0)
  expect(await service.stop()).toBe(0)
})

test('a wrong variable is one line that names it, and help is there all the same', async () => {
  const wrong = { PORT: 'x' }
  const [failed, helped] = await Promise.all([runCommand(['migrate'], wrong), runCommand(['--help'], wrong)])
  expect(failed).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^developer-api: PORT must be .*\n$/) })
  expect(helped).toMatchObject({ status: 0, stderr: '' })
})
