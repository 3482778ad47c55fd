import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { newSigningSecret } from '../../src/domain/webhooks/secrets/sign.ts'
import { createOAuthApp } from '../support/flows.ts'
import { installPacked, write } from './packed.ts'
import { platforms } from './runtimes/platforms.ts'
import { startWire } from './runtimes/wire.ts'
import { bundleOf } from './vite.ts'

for (const { name, file } of platforms)
  if (!file) process.stderr.write(`There is no ${name} for this machine: the SDK is not tried on it\n`)

let app: Awaited<ReturnType<typeof createOAuthApp>>
let outside: ReturnType<typeof installPacked>
let bundled: string

beforeAll(async () => {
  const { wake, onWake } = new WakeHub()
  app = await createOAuthApp({ wake, onWake })
  await app.user('bob')
  outside = installPacked('pack-sdk.mjs', '@developer-api/sdk')
  write(outside.path, { 'try-all.mjs': readFileSync(join(import.meta.dirname, 'runtimes/try-all.mjs'), 'utf8') })
  bundled = await bundleOf(join(outside.path, 'try-all.mjs'), false)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  outside[Symbol.dispose]()
})

/** What the service gives to a program, and a webhook that it may have got. */
async function settingsFor(wire: string) {
  const { access_token, refresh_token, scope } = await app.newGrant(app.native)
  const caller = await app.newGrant(app.native, ['channel:read', 'chat:read', 'chat:write'])
  const secret = newSigningSecret()
  const at = new Date()
  const body = JSON.stringify({ id: 'evt_1', type: 'chat.message.sent' })
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  }
  return {
    base: app.base,
    wire,
    token: caller.access_token,
    clientId: app.native.id,
    tokens: { access_token, refresh_token, scope, expires_at: 0 },
    delivery: { secret, headers, body },
  }
}

test.each(platforms.filter(({ file }) => file !== undefined))(
  'the SDK does on $name what it does everywhere',
  async ({ file = '', run }) => {
    using wire = await startWire(() => app.server.closeAllConnections())
    const settings = await settingsFor(wire.base)
    const { login, ...told } = (await run(file, { folder: outside.path, bundled, settings })) as Told
    expect(told).toEqual({
      list: ['ada', 'bob'],
      feed: ['open 0', 'open 1'],
      stopped: 'without an error',
      refreshed: { names: ['ada'], kept: 1, isNew: true },
      tries: 'sent',
      errors: [['NotFoundError', 'channel_not_found', true], ['ApiError', 'redirected', false], [true]],
      webhooks: ['evt_1', true],
    })
    const challenge = createHash('sha256').update(login.pending.verifier).digest('base64url')
    expect(new URL(login.url).searchParams.get('code_challenge')).toBe(challenge)
    expect([wire.keys.length >= 3, new Set(wire.keys).size, wire.taken]).toEqual([true, 1, []])
  },
)

type Told = { login: { url: string; pending: { verifier: string } } }
