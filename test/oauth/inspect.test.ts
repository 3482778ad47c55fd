import { expect, test } from 'vitest'
import { inspectOwnCredential } from '../../src/domain/oauth/inspect.ts'
import { createTestContext } from '../support/context.ts'

test('nobody learns anything of a credential that is not theirs', async () => {
  await using app = await createTestContext()
  const [ada, bell] = [await app.user('ada'), await app.user('bell')]
  const token = await app.token(['user:read'], { user: ada })
  const asked = (user: { id: string; username: string }) => {
    const principal = { kind: 'user', userId: user.id, username: user.username, clientId: null, scopes: [] } as const
    return inspectOwnCredential({ ...app.context, principal }, token)
  }
  expect(await asked(ada)).toMatchObject({ kind: 'access_token', active: true, username: 'ada' })
  expect(await asked(bell)).toMatchObject({ kind: 'unknown', active: false, username: null })
})
