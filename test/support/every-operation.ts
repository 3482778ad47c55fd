import { categories } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import type { createTestApp } from './app.ts'

type TestApp = Awaited<ReturnType<typeof createTestApp>>
/** The functions of a generated client: each resolves to the body and the response. */
type Sdk = Record<string, (input: object) => Promise<{ data: Answer; response: Response }>>
type Answer = { access_token: string; data: { id: string } & { id: string; content?: string }[] }
type Auth = { scheme?: string }

/** A token with every scope of a user, as the function that a generated client asks for credentials. */
export async function credentialsOf(app: TestApp) {
  const application = await app.client()
  const ada = await app.user('ada')
  const token = await app.token(scopes, { user: ada, client: application })
  return { application, token, auth: ({ scheme }: Auth) => (scheme === 'bearer' ? token : undefined) }
}

/** Calls every operation of the specification successfully. Returns the responses by the name of the operation. */
export async function callEveryOperation(
  app: TestApp,
  sdk: Sdk,
  { application, token }: Awaited<ReturnType<typeof credentialsOf>>,
) {
  const responses: Record<string, Response> = {}
  async function call(name: string, input: object = {}): Promise<Answer> {
    const operation = sdk[name]
    if (!operation) throw new Error(`The client has no ${name}`)
    const { data, response } = await operation(input)
    responses[name] = response
    return data
  }
  const bob = await app.user('bob')
  const category = newId('category', app.context.now())
  await app.context.db.insert(categories).values({ id: category, slug: 'software', label: 'Software' })
  const stream = await app.request('POST /trpc/livestreams.start', { token, body: {} })
  const credentials = { client_id: application.id, client_secret: application.secret }

  for (const name of ['getHealth', 'getReadiness', 'getMetadata', 'processDeliveriesByGet', 'processDeliveries'])
    await call(name)
  const tokens = await call('createToken', { body: { ...credentials, grant_type: 'client_credentials' } })
  await call('revokeToken', { body: { ...credentials, token: tokens.access_token } })
  for (const name of [
    'getCurrentUser',
    'listChannels',
    'listCategories',
    'listLivestreams',
    'listBans',
    'listSubscriptions',
  ])
    await call(name)
  await call('getChannel', { path: { slug: 'ada' } })
  await call('getCategory', { path: { id: category } })
  await call('getLivestream', { path: { id: stream.body.result.data.id } })
  const said = await call('sendChatMessage', { body: { room_name: 'ada', content: 'from a generated client' } })
  const { data: listed } = await call('listChatMessages', { query: { room_name: 'ada' } })
  if (listed[0]?.id !== said.data.id) throw new Error('What was said is not listed')
  await call('deleteChatMessage', { path: { messageId: said.data.id } })
  await call('createBan', { body: { user_id: bob.id } })
  const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent'] }
  const made = await call('createSubscription', { body: hook })
  await call('deleteSubscription', { path: { id: made.data.id } })
  return responses
}
