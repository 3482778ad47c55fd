import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { accessTokens, grants, refreshTokens } from '../../src/db/schema/index.ts'
import type { Scope } from '../../src/domain/core/scopes.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { filesOf } from '../support/documents.ts'
import { createOAuthApp } from '../support/flows.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sizeOf } from '../webhooks/support/long.ts'
import { roomOf, startProgram } from './support/bot.ts'
import { python } from './support/python.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 })

const MONTH_MS = 30 * 24 * 3_600_000
const LIVES = 3
const SCOPES: Scope[] = ['user:read', 'livestream:read', 'chat:read', 'chat:write']
const refreshes = sizeOf('refreshes of a bot in a month', { short: 30, long: 720 })

/** A program’s own clock is as many milliseconds ahead as the file says, whoever asks for the time. */
const clocks = {
  'clock.mjs': `import { readFileSync } from 'node:fs'
const now = Date.now
Date.now = () => now() + Number(readFileSync('ahead.txt', 'utf8'))
`,
  'sitecustomize.py': `import time
now = time.time
time.time = lambda: now() + float(open("ahead.txt").read()) / 1000
`,
}

let app: Awaited<ReturnType<typeof createOAuthApp>>
let desk: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  const { wake, onWake } = new WakeHub()
  app = await createOAuthApp({ wake, onWake })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => {
  desk = temporaryFolder()
  return () => desk[Symbol.dispose]()
})
const at = (file: string) => join(desk.path, file)
const keep = (files: Record<string, string>) => {
  for (const [file, text] of Object.entries(files)) writeFileSync(at(file), text)
}

type Bot = { readme: string; file: string; state: string; msOfTime: number; command: () => [string, string[]] }
const bots: [string, Bot, boolean][] = [
  [
    'TypeScript',
    {
      readme: 'sdk/typescript/README.md',
      file: 'bot.mjs',
      state: 'bot.json',
      msOfTime: 1,
      command: () => {
        const packed = execFileSync(process.execPath, ['pack-sdk.mjs', at('sdk')], { encoding: 'utf8' }).trim()
        keep({ 'package.json': '{ "type": "module", "private": true }' })
        execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', resolve(packed)], { cwd: desk.path })
        return [process.execPath, ['--import', './clock.mjs', 'bot.mjs']]
      },
    },
    true,
  ],
  [
    'Python',
    {
      readme: 'sdk/python/README.md',
      file: 'bot.py',
      state: 'bot-state.json',
      msOfTime: 1_000,
      command: () => [python ?? '', ['bot.py']],
    },
    python !== undefined,
  ],
]

describe.each(bots.filter(([, , isHere]) => isHere))('the bot of the README, in %s', (_, bot) => {
  test('greets whoever is new for a month, by tokens that it refreshes, over restarts and lost connections', async () => {
    let aheadMs = 0
    /** Time passes for the bot and for the service, and connections do not last. */
    async function pass(ms: number) {
      aheadMs += ms
      keep({ 'next.txt': String(aheadMs) })
      renameSync(at('next.txt'), at('ahead.txt'))
      for (const table of [accessTokens, refreshTokens, grants]) await app.elapse(table, 'expiresAt', ms)
      await app.elapse(refreshTokens, 'consumedAt', ms)
      app.server.closeAllConnections()
    }
    const first = await app.newGrant(app.native, SCOPES)
    keep({ ...clocks, 'ahead.txt': '0', [bot.file]: filesOf(readFileSync(bot.readme, 'utf8'))[bot.file] ?? '' })
    keep({ 'tokens.json': JSON.stringify(tokensOf(first, bot.msOfTime)) })
    const [program, words] = bot.command()
    const environment = {
      API: app.base,
      CLIENT_ID: app.native.id,
      PYTHONPATH: `${desk.path}:${resolve('sdk/python')}`,
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const known = new Set([first.refresh_token])
    for (let life = 0; life < LIVES; life++) {
      await using running = startProgram(program, words, desk.path, environment)
      for (let opened = 1; opened <= refreshes / LIVES; opened++) {
        await running.until(new RegExp(`(listening\\s[^]*){${opened}}`))
        await pass(MONTH_MS / refreshes)
        await running.until(new RegExp(`(listening\\s[^]*){${opened + 1}}`))
        await greets(known.size, bot)
        known.add(JSON.parse(readFileSync(at('tokens.json'), 'utf8')).refresh_token)
      }
      await running.stop()
    }
    expect(known.size).toBe(refreshes + 1)
  })
})

const tokensOf = ({ expires_in, access_token, refresh_token, scope }: Granted, msOfTime: number) => ({
  access_token,
  refresh_token,
  scope,
  expires_at: (Date.now() + expires_in * 1_000) / msOfTime,
})
type Granted = Awaited<ReturnType<Awaited<ReturnType<typeof createOAuthApp>>['newGrant']>>

/** Somebody new says something, and is greeted once; the bot has written down that they were. */
async function greets(number: number, { file, state }: Bot) {
  const guest = await app.user(`guest-${number}-of-${file}`.replace(/\W/g, '_'))
  const room = roomOf('ada', () => app.base)
  const { access_token: token } = await app.newGrant(app.native, ['chat:read', 'chat:write'], guest)
  await room.say(token, 'hello')
  await vi.waitFor(() => expect(readFileSync(at(state), 'utf8')).toContain(guest.id), { timeout: 30_000, interval: 5 })
  const said = await room.until(`Welcome, ${guest.username}!`, token)
  expect(said.filter((content) => content === `Welcome, ${guest.username}!`)).toHaveLength(1)
}
