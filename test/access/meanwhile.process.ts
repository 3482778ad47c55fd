import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { clients } from '../../src/db/schema/index.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { issueDirectly } from '../../src/domain/oauth/issue.ts'
import { allow, caller, createOAuthApp, credentials } from '../support/flows.ts'
import { callMeanwhile } from '../support/meanwhile.ts'

const app = await createOAuthApp()
await makePartitions(app.context.db, app.clock.at)
afterAll(() => app[Symbol.asyncDispose]())
let made = 0

/** An application with a token of its own and one of a user's, a code, a refresh token, and what its tokens have made. */
async function make() {
  const client = await app.newClient({ redirectUris: ['https://client.example/callback'] })
  const user = await app.user(`user_${++made}`)
  const other = await app.user(`other_${made}`)
  const own = await app.forApplication(client)
  const users = await issueDirectly(app.context, { clientId: client.id, userId: user.id, scopes })
  const bearer = { own: own.body.access_token as string, user: users.access_token }
  const principal = { kind: 'user', userId: user.id, username: user.username, clientId: client.id, scopes } as const
  const said = await sendMessage({ ...app.context, principal }, { room_name: user.username, content: 'x' })
  const hook = { url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] }
  const { body } = await app.request('POST /v1/events/subscriptions', { token: bearer.own, body: hook })
  const code = await app.newCode(client, ['user:read'], user)
  const { refresh_token } = await app.newGrant(client, ['user:read'], user)
  return { client, user, other, bearer, hook, code, refresh_token, messageId: said.id, subscriptionId: body.data.id }
}
type Made = Awaited<ReturnType<typeof make>>
type Call = [name: string, by: 'nobody' | 'own' | 'user', inputOf: (of: Made) => object]

const calls: Call[] = [
  ['oauth.token', 'nobody', ({ client }) => ({ grant_type: 'client_credentials', ...credentials(client) })],
  ['oauth.token', 'nobody', ({ code }) => code],
  [
    'oauth.token',
    'nobody',
    ({ client, refresh_token }) => ({ grant_type: 'refresh_token', refresh_token, ...credentials(client) }),
  ],
  ['oauth.deviceAuthorization', 'nobody', ({ client }) => credentials(client)],
  ['oauth.revoke', 'nobody', ({ client, refresh_token }) => ({ token: refresh_token, ...credentials(client) })],
  ['oauth.introspect', 'nobody', ({ client, bearer }) => ({ token: bearer.own, ...credentials(client) })],
  ['users.me', 'user', () => ({})],
  ['channels.update', 'user', () => ({ bio: 'x' })],
  ['livestreams.start', 'user', () => ({ title: 'x' })],
  ['chat.send', 'user', ({ user }) => ({ room_name: user.username, content: 'x' })],
  ['chat.delete', 'user', ({ messageId }) => ({ messageId })],
  ['moderation.ban', 'user', ({ other }) => ({ user_id: other.id })],
  ['moderation.unban', 'user', ({ other }) => ({ user_id: other.id })],
  ['events.create', 'own', ({ hook }) => hook],
  ['events.create', 'user', ({ hook }) => hook],
  ['events.list', 'own', () => ({})],
  ['events.read', 'own', () => ({ since: '2026-01-02T00:00:00Z' })],
  ['events.delete', 'own', ({ subscriptionId }) => ({ id: subscriptionId })],
  ['webhooks.get', 'own', ({ subscriptionId }) => ({ id: subscriptionId })],
  ['webhooks.update', 'own', ({ subscriptionId }) => ({ id: subscriptionId, description: 'x' })],
  ['webhooks.test', 'own', ({ subscriptionId }) => ({ id: subscriptionId })],
  ['deliveries.list', 'own', () => ({})],
  ['deliveries.replay', 'own', ({ subscriptionId }) => ({ subscription: subscriptionId, only: 'all' })],
]

describe('an application that is deleted while a call of its is answered', () => {
  test.each(calls)('is answered, or refused: %s by %s', async (name, by, inputOf) => {
    const callerOf = ({ bearer }: Made) => caller(by === 'nobody' ? {} : { authorization: `Bearer ${bearer[by]}` })
    await callMeanwhile(
      { ctx: app.context, target: app.target, make, callerOf },
      { name, inputOf, happening: (tx, { client }) => tx.delete(clients).where(eq(clients.id, client.id)) },
    )
  })
})

test('whoever allows an application that was just deleted is told so', async () => {
  const { client, user } = await make()
  await app.context.db.delete(clients).where(eq(clients.id, client.id))
  await expect(allow(app.context, client, user)).rejects.toMatchObject({ code: 'invalid_request' })
})
