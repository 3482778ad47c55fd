import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { demoUrlIn } from '../../src/process/demo-file.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const application = { client_id: 'cli_1', client_secret: 's', redirect_uri: 'http://127.0.0.1/' }
const person = { id: 'usr_1', username: 'ada', password: 'p', access_token: 'a', refresh_token: 'r' }
const credentials = {
  client: application,
  other_client: application,
  public_client: application,
  api_key: 'k',
  users: { streamer: person, viewer: person, outsider: person },
}
/** What a command takes the service for whose folder has demo data of such an address. */
const found = (base_url: string, publicUrl = 'http://127.0.0.1:3000') => {
  writeFileSync(join(folder.path, 'demo.json'), JSON.stringify({ base_url, ...credentials }))
  return demoUrlIn({ hasDemoData: true, dataDir: folder.path, publicUrl })
}

test.each(['http://127.0.0.1:3001', 'http://localhost:3001', 'http://[::1]:3001'])(
  'the service of the demo data is where it was last started on this machine: %s',
  (url) => {
    expect(found(url)).toBe(url)
  },
)

test.each([
  'https://elsewhere.example',
  'http://127.0.0.1.elsewhere.example',
  'http://127.0.0.1@elsewhere.example',
  '/',
  '',
])('a file in a folder sends no key elsewhere: %s', (url) => {
  expect(found(url)).toBeUndefined()
})

test('but where the configuration says that the service is', () => {
  expect(found('https://demo.example', 'https://demo.example')).toBe('https://demo.example')
})
