import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { Browser } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { folderWithCluster, runCommand, startProcess, startService } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

const [data, home] = [folderWithCluster(), temporaryFolder()]
afterAll(() => {
  data[Symbol.dispose]()
  home[Symbol.dispose]()
})

test('a person logs in by a code, hears their channel without a key, and logs out', async () => {
  await using service = await startService({ DATA_DIR: data.path, DEMO_DATA: 'on' })
  expect(service.isReady).toBe(true)
  const demo = DemoCredentials.parse(JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8')))
  const env = { XDG_CONFIG_HOME: home.path, DATA_DIR: join(home.path, 'no-data') }

  const client = ['--client-id', demo.public_client.client_id, '--url', service.base]
  await using login = await startProcess(env, ['bin/developer-api.mjs', 'login', ...client])
  await login.output.holds(/enter the code \S+/)
  const [, user_code = ''] = /enter the code (\S+)/.exec(login.output.text.stderr) ?? []
  const browser = new Browser(service.base)
  const { username, password } = demo.users.streamer
  await browser.submit(await browser.get('/login'), '/login', { username, password })
  const question = await browser.submit(await browser.get('/device'), '/device', { user_code })
  await browser.submit(question, '/device', { decision: 'allow' })
  expect(await login.ended).toBe(0)
  expect(login.output.text.stdout).toBe(`Logged in as streamer at ${service.base}.\n`)
  expect(statSync(join(home.path, 'developer-api', 'credentials.json')).mode & 0o777).toBe(0o600)

  await using receiver = await startReceiver()
  const listen = ['bin/developer-api.mjs', 'events', 'listen', '--forward-to', receiver.url, '--count', '1']
  await using listening = await startProcess(env, listen)
  await listening.output.holds(/Listening for all events/)
  const token = demo.users.viewer.access_token
  const body = JSON.stringify({ room_name: 'streamer', content: 'Heard by login' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  expect((await fetch(`${service.base}/v1/chat/messages`, { method: 'POST', headers, body })).status).toBe(201)
  expect(await listening.ended).toBe(0)
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['Heard by login'])
  expect(listening.output.text.stderr).toContain(`As streamer at ${service.base}, by "login"`)

  const asked = { DATA_DIR: data.path, DEVELOPER_API_KEY: demo.api_key }
  const explained = await runCommand(['request', 'explain', 'x', '--json'], asked)
  expect(JSON.parse(explained.stdout).error.code).toBe('not_found') // at the port of the service, which nobody has named

  const logout = await runCommand(['logout', '--json'], env)
  expect(JSON.parse(logout.stdout)).toMatchObject({ url: service.base, revoked: true })
  expect(await service.stop()).toBe(0)
})
