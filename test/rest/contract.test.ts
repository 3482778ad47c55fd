import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { categories } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { createTestApp } from '../support/app.ts'
import { specification } from '../support/specification.ts'

type Init = Parameters<typeof app.request>[1]
type Seen = { route: string; status: number; body: unknown; headers: Headers }

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const document = createDocument(app.base)
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isInstant, uri: URL.canParse } })
ajv.addSchema({ $id: 'document', ...document })

const seen: Seen[] = []
/** Asks for a route of the specification, its parameter filled in, and remembers the answer. */
async function ask(route: string, parameter: string, init?: Init) {
  const target = route.replace(/\{.+?\}/, encodeURIComponent(parameter))
  const { status, body, headers } = await app.request(target, init)
  seen.push({ route: route.replace(/\?.*/, ''), status, body, headers })
  const tag = headers.get('etag')
  if (tag && status === 200) await ask(route, parameter, { ...init, headers: { 'if-none-match': tag } })
  return body
}

const unknown = 'nothing-here'
const form = (fields: object) => new URLSearchParams(Object.entries(fields))

beforeAll(async () => {
  const [ada, bob] = [await app.user('ada'), await app.user('bob')]
  const client = await app.client()
  const all = specification.flatMap(({ scopes }) => scopes)
  const token = await app.token([...all, 'livestream:write'], { user: ada, client })
  const bobs = await app.token(all, { user: bob, client })
  const category = newId('category', app.context.now())
  await app.context.db.insert(categories).values({ id: category, slug: 'software', label: 'Software' })
  const stream = await app.request('POST /trpc/livestreams.start', { token, body: { category: 'software' } })

  for (const route of ['GET /health/', 'GET /health/ready', 'GET /']) await ask(route, '')
  for (const method of ['GET', 'POST']) {
    await ask(`${method} /cron/webhook-deliveries`, '')
    await ask(`${method} /cron/webhook-deliveries`, '', { headers: { forwarded: 'for=192.0.2.1' } })
  }

  const credentials = { client_id: client.id, client_secret: client.secret }
  const granted = await ask('POST /oauth/token', '', {
    body: form({ ...credentials, grant_type: 'client_credentials' }),
  })
  await ask('POST /oauth/token', '', { body: { ...credentials, grant_type: 'password' } })
  await ask('POST /oauth/token', '', { body: { ...credentials, client_secret: 'x', grant_type: 'client_credentials' } })
  await ask('POST /oauth/revoke', '', { body: { ...credentials, token: granted.access_token } })
  await ask('POST /oauth/revoke', '', { body: { token: 'x' } })
  await ask('POST /oauth/revoke', '', { body: credentials })

  await ask('GET /v1/users/me', '', { token })
  for (const [list, one, known] of [
    ['GET /v1/channels/', 'GET /v1/channels/{slug}', 'ada'],
    ['GET /v1/categories/', 'GET /v1/categories/{id}', category],
    ['GET /v1/livestreams/', 'GET /v1/livestreams/{id}', stream.body.result.data.id],
  ]) {
    await ask(String(list), '', { token })
    await ask(`${list}?limit=0`, '', { token })
    await ask(String(one), known, { token })
    await ask(String(one), unknown, { token })
  }

  const said = await ask('POST /v1/chat/messages', '', { token, body: { room_name: 'ada', content: 'hello' } })
  await ask('POST /v1/chat/messages', '', { token, body: { room_name: 'nobody', content: 'hello' } })
  await ask('POST /v1/chat/messages', '', { token, body: { room_name: 'ada' } })
  await ask('GET /v1/chat/messages?room_name=ada', '', { token })
  await ask('GET /v1/chat/messages', '', { token })
  await ask('DELETE /v1/chat/{messageId}', said.data.id, { token: bobs })
  await ask('DELETE /v1/chat/{messageId}', said.data.id, { token })
  await ask('DELETE /v1/chat/{messageId}', said.data.id, { token })

  for (const user_id of [bob.id, bob.id, ada.id, unknown]) {
    await ask('POST /v1/moderation/bans', '', { token, body: { user_id } })
  }
  await ask('GET /v1/moderation/bans', '', { token })
  await ask('GET /v1/moderation/bans?cursor=x', '', { token })

  const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent'], description: 'Hook' }
  const made = await ask('POST /v1/events/subscriptions', '', { token, body: hook })
  await ask('POST /v1/events/subscriptions', '', { token, body: { ...hook, event_types: ['nope'] } })
  await ask('GET /v1/events/subscriptions', '', { token })
  await ask('GET /v1/events/subscriptions?limit=x', '', { token })
  await ask('DELETE /v1/events/subscriptions/{id}', made.data.id, { token })
  await ask('DELETE /v1/events/subscriptions/{id}', made.data.id, { token })

  await askWrongly(token)
})

/** Without a credential, without the scope, with a body that is too large or of no known type. */
async function askWrongly(token: string) {
  const weak = await app.token([])
  for (const { route, scopes, also } of specification) {
    if (scopes.length > 0) {
      await ask(route, unknown)
      await ask(route, unknown, { token: weak })
    }
    if (also.includes(413)) await ask(route, unknown, { token, body: { pad: 'x'.repeat(70_000) } })
    if (also.includes(415)) await ask(route, unknown, { token, body: '<x/>' })
  }
}

describe.each(specification)('$route', ({ route, success, failures, also }) => {
  const answers = () => seen.filter((one) => one.route === route)
  // neither is made here: the whole limit of a credential, a database that is away; both have tests of their own.
  // the user of a token goes together with it, so that its 404 is only a race
  const isMadeHere = (status: number) => status !== 429 && status !== 503 && !(route.endsWith('/me') && status === 404)

  test('every declared status has a case', () => {
    const statuses = [...new Set(answers().map(({ status }) => status))]
    expect(statuses.toSorted()).toEqual([success, ...failures, ...also].filter(isMadeHere).toSorted())
  })

  test('every answer validates against the document', () => {
    for (const { status, body } of answers()) {
      const pointer = ['paths', route.split(' ')[1], route.split(' ')[0]?.toLowerCase(), 'responses', status, 'content']
      if (status === 204 || status === 304) expect(body).toBeUndefined()
      else expect(problemsOf([...pointer, 'application/json', 'schema'], body), `${status}`).toEqual([])
    }
  })
})

function problemsOf(pointer: readonly unknown[], body: unknown) {
  const path = pointer.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.getSchema(`document#/${path.join('/')}`)
  if (!validate) return [`no schema at ${path.join('/')}`]
  return validate(body) ? [] : (validate.errors ?? [])
}

function isInstant(value: string) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
}
