import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { readScopes } from '../../src/domain/events/feed/readable-types.ts'
import { revokeAllowed } from '../../src/domain/oauth/allowed-applications.ts'
import { createLiveApp } from '../support/app.ts'
import { filesOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'

const app = await createLiveApp()
app.context.credentials.trust()
const folder = temporaryFolder()
afterAll(async () => {
  folder[Symbol.dispose]()
  await app[Symbol.asyncDispose]()
})
const files = filesOf(readFileSync('docs/guides/feed.md', 'utf8').replaceAll('https://api.example.com', app.base))
for (const [file, code] of Object.entries(files)) writeFileSync(join(folder.path, file), code)

const ada = await app.user('ada')
const context: UserContext = {
  ...app.context,
  principal: { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes },
}
const say = (content: string) => sendMessage(context, { room_name: 'ada', content })

/** A program of the guide, and what it has printed. */
function start(words: readonly string[], env: Record<string, string>) {
  const [command = '', ...rest] = words
  const child: ChildProcess = spawn(command, rest, { cwd: folder.path, env: { ...process.env, ...env } })
  let printed = ''
  let heard = () => {}
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (chunk: Buffer) => {
      printed += chunk
      heard()
    })
  }
  const ended = once(child, 'exit').then(([status]) => status as number | null)
  return {
    ended,
    printed: () => printed,
    /** Resolves once it has printed a text. */
    prints: (text: string) =>
      new Promise<void>((resolve) => {
        heard = () => printed.includes(text) && resolve()
        heard()
      }),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** As if a bot had been there already: it takes any time to start. */
async function begin(token: string) {
  const path = '/v1/events?types=chat.message.sent&wait=25'
  const { headers } = await app.request(`GET ${path.replace('wait=25', 'wait=0')}`, { token })
  const [, next = ''] = /<([^>]+)>/.exec(headers.get('link') ?? '') ?? []
  const after = new URL(next, app.base).searchParams.get('after') ?? ''
  writeFileSync(join(folder.path, 'bot.cursor'), after)
  writeFileSync(join(folder.path, 'bot.next'), `${path}&after=${after}`)
}

describe.each([
  ['Node.js', [process.execPath, 'bot.mjs'], true],
  ['Python', ['python3', 'bot.py'], spawnSync('python3', ['--version']).status === 0],
])('the bot of the guide in %s', (_, words, isThere) => {
  test.skipIf(!isThere)('hears at once, takes later what it missed, and ends with its credential', async () => {
    const client = await app.client()
    const env = { ACCESS_TOKEN: await app.token(['chat:read'], { user: ada, client }) }
    await begin(env.ACCESS_TOKEN)
    const kept = () => ['bot.cursor', 'bot.next'].map((file) => readFileSync(join(folder.path, file), 'utf8')).join()
    const begun = kept()
    const first = start(words, env)
    await say('live')
    await first.prints('#ada ada: live\n')
    await vi.waitUntil(() => kept() !== begun, { timeout: 10_000 }) // what is killed before that hears it again
    await first.stop()
    await say('while it was away')
    const second = start(words, env)
    await second.prints('#ada ada: while it was away\n')
    expect(second.printed()).not.toContain(': live')
    await revokeAllowed(context, { application_id: client.id })
    expect(await second.ended).toBe(1)
    expect(second.printed()).toMatch(/credential .*(ended|revoked)/)
  })
})

test('the job of the guide takes each event once, however often it runs', async () => {
  const env = { ...process.env, API_KEY: await app.token(['chat:read']) }
  const run = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['pull.mjs'], { cwd: folder.path, env })
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line).data.content)
  }
  await run()
  await say('one')
  await say('two')
  expect([await run(), await run()]).toEqual([['one', 'two'], []])
})

test('the guide names every type with the scope that reads it', () => {
  const text = readFileSync('docs/guides/feed.md', 'utf8')
  for (const [type, wanted] of Object.entries(readScopes)) {
    const row = text.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${type}\``)) ?? ''
    for (const scope of wanted) expect(row, type).toContain(`\`${scope}\``)
  }
})
