import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient as generateClient } from '@hey-api/openapi-ts'
import { afterAll, expect, test } from 'vitest'
import { categories } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { createTestApp } from '../support/app.ts'
import { specification } from '../support/specification.ts'

/** What a third party does: take the document, generate a client from it, call everything. */
const folder = mkdtempSync(join(import.meta.dirname, '.generated-'))
const app = await createTestApp()
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
const document = join(folder, 'openapi.json')
writeFileSync(document, JSON.stringify(createDocument(app.base)))

test('a generated client calls every operation', async () => {
  await generateClient({ input: document, output: join(folder, 'client'), logs: { level: 'silent' } })
  const sdk = await import(join(folder, 'client', 'sdk.gen.ts'))
  const { client } = await import(join(folder, 'client', 'client.gen.ts'))

  const [ada, bob] = [await app.user('ada'), await app.user('bob')]
  const application = await app.client()
  const token = await app.token(scopes, { user: ada, client: application })
  const category = newId('category', app.context.now())
  await app.context.db.insert(categories).values({ id: category, slug: 'software', label: 'Software' })
  const stream = await app.request('POST /trpc/livestreams.start', { token, body: {} })
  client.setConfig({ baseUrl: app.base, auth: () => token })

  const statuses: Record<string, number> = {}
  async function call(name: string, input: object = {}) {
    const { data, response } = await sdk[name](input)
    statuses[name] = response.status
    return data
  }
  const credentials = { client_id: application.id, client_secret: application.secret }

  for (const name of ['healthLive', 'healthReady', 'healthMetadata', 'internalWorkByGet', 'internalWorkByPost']) {
    await call(name)
  }
  const tokens = await call('oauthToken', { body: { ...credentials, grant_type: 'client_credentials' } })
  await call('oauthRevoke', { body: { ...credentials, token: tokens.access_token } })
  for (const name of ['usersMe', 'channelsList', 'categoriesList', 'livestreamsList', 'moderationList', 'eventsList']) {
    await call(name)
  }
  await call('channelsGet', { path: { slug: 'ada' } })
  await call('categoriesGet', { path: { id: category } })
  await call('livestreamsGet', { path: { id: stream.body.result.data.id } })
  const said = await call('chatSend', { body: { room_name: 'ada', content: 'from a generated client' } })
  const listed = await call('chatList', { query: { room_name: 'ada' } })
  expect(listed.data).toMatchObject([{ id: said.data.id, content: 'from a generated client' }])
  await call('chatDelete', { path: { messageId: said.data.id } })
  await call('moderationBan', { body: { user_id: bob.id } })
  const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent'] }
  const made = await call('eventsCreate', { body: hook })
  await call('eventsDelete', { path: { id: made.data.id } })

  expect(Object.values(statuses).toSorted()).toEqual(specification.map(({ success }) => success).toSorted())
})
