import { expect, test } from 'vitest'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { inspectOwnCredential } from '../../src/domain/oauth/inspect.ts'
import { createOverlay } from '../../src/domain/overlays.ts'
import { createTestContext } from '../support/context.ts'

test('nobody learns anything of a credential that is not theirs', async () => {
  await using app = await createTestContext()
  const [ada, bell] = [await app.user('ada'), await app.user('bell')]
  const token = await app.token(['user:read'], { user: ada })
  const as = ({ id: userId, username }: { id: string; username: string }) => ({
    ...app.context,
    principal: { kind: 'user', userId, username, clientId: null, scopes: [] } as const,
  })
  const overlay = await createOverlay(as(ada), { name: 'Overlay', event_types: ['chat.message.sent'] })
  const { key: streamKey } = await rollStreamKey(as(ada))
  for (const [credential, kind] of [
    [token, 'access_token'],
    [overlay.key, 'overlay_key'],
    [streamKey, 'stream_key'],
  ] as const) {
    expect(await inspectOwnCredential(as(ada), credential)).toMatchObject({ kind, active: true, username: 'ada' })
    const found = await inspectOwnCredential(as(bell), credential)
    expect(found).toMatchObject({ kind: 'unknown', active: false, username: null })
  }
})
