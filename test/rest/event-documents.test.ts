import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test } from 'vitest'
import { sendMessage } from '../../src/domain/chat.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { listEventTypes } from '../../src/domain/events/type-list.ts'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createAsyncApiDocument } from '../../src/rest/asyncapi/asyncapi.ts'
import { createDocument, createExtensionsDocument } from '../../src/rest/openapi/document.ts'
import { eventSchemaName } from '../../src/rest/openapi/payload-schemas.ts'
import { routes } from '../../src/rest/openapi/routes.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const [api, extensions, events] = [createDocument, createExtensionsDocument, createAsyncApiDocument].map((create) =>
  create(app.base),
) as [
  ReturnType<typeof createDocument>,
  ReturnType<typeof createExtensionsDocument>,
  ReturnType<typeof createAsyncApiDocument>,
]
const samples = listEventTypes()
const feed = extensions.paths['/v1/events']?.get
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'extensions', ...extensions }).addSchema({ $id: 'api', ...api })

const complaints = (document: string, pointer: readonly string[], value: unknown) => {
  const path = pointer.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const validate = ajv.getSchema(`${document}#/${path}`)
  if (!validate) throw new Error(`There is no schema at ${path}`)
  return validate(value) ? [] : (validate.errors ?? [])
}
const answerAt = (status: number) => ['paths', '/v1/events', 'get', 'responses', String(status)]
const complaintsOf = (status: number, body: unknown) =>
  complaints('extensions', [...answerAt(status), 'content', 'application/json', 'schema'], body)

test('what is beyond the specification is in a document of its own, and in no other', () => {
  const ours = routes.filter(({ operation }) => operation.isExtension).map(({ operation }) => operation.path)
  expect(ours.length).toBeGreaterThan(0)
  expect(Object.keys(extensions.paths).toSorted()).toEqual([...new Set(ours)].toSorted())
  for (const path of ours) expect(Object.keys(api.paths)).not.toContain(path)
  expect(extensions.tags.map(({ name }) => name)).toEqual(['OAuth', 'Events'])
})

test('what the token endpoint takes and gives beyond the specification is shown in that document alone', () => {
  const fieldsOf = (document: { components: { schemas: object } }, name: string) => {
    const schemas = document.components.schemas as Record<string, { properties: object }>
    return Object.keys(schemas[name]?.properties ?? {})
  }
  for (const [name, field] of [
    ['CreateTokenRequest', 'device_code'],
    ['CreateTokenRequest', 'resource'],
    ['TokenResponse', 'id_token'],
  ] as const) {
    expect(fieldsOf(extensions, name)).toContain(field)
    expect(fieldsOf(api, name)).not.toContain(field)
  }
  for (const document of [api, extensions]) expect(JSON.stringify(document)).not.toContain('x-extension')
  expect(JSON.stringify(api)).not.toContain('device_code')
})

describe('the feed', async () => {
  const ada = await app.user('ada')
  const token = await app.token(scopes, { user: ada })
  const [chat, application] = [await app.token(['chat:read'], { user: ada }), await app.token(scopes)]
  const ask = (query: string, credential?: string) =>
    app.request(`GET /v1/events${query}`, { ...(credential && { token: credential }) })

  test('is described with all that it takes and can answer', () => {
    const names = feed?.parameters?.map(({ name }) => name)
    expect(names).toEqual(['after', 'since', 'types', 'channel', 'limit', 'wait', 'key', 'Last-Event-ID'])
    expect(Object.keys(feed?.responses ?? {})).toEqual(['200', '400', '401', '403', '404', '410', '429', '503'])
    expect(Object.keys(feed?.responses['200']?.content ?? {})).toEqual(['application/json', 'text/event-stream'])
    expect(Object.keys(feed?.responses['200']?.headers ?? {})).not.toContain('ETag')
    expect(feed?.security).toContainEqual({ overlayKey: [] })
  })

  test('answers as it is described', async () => {
    const since = app.context.now().toISOString()
    const principal = { kind: 'user' as const, userId: ada.id, username: 'ada', clientId: null, scopes }
    await sendMessage({ ...app.context, principal }, { room_name: 'ada', content: 'Hello!' })
    const page = await ask(`?since=${since}`, token)
    expect([page.body.data.length, complaintsOf(200, page.body)]).toEqual([1, []])
    const refused = [
      await ask('?limit=0', token),
      await ask('?after=x', token),
      await ask('?types=nope', token),
      await ask(''),
      await ask('?types=channel.updated', chat),
      await ask('?channel=nobody', application),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 401, 403, 404])
    for (const { status, body } of refused) {
      expect(complaintsOf(status, body)).toEqual([])
      expect(feed?.responses[status]?.description).toContain(`\`${body.error.code}\``)
    }
  })

  test('may give types that nobody knows yet, and none that is not as its schema says', () => {
    const [sample] = samples
    expect(complaintsOf(200, { data: samples.slice(0, -1).map((one) => one.sample) })).toEqual([])
    expect(complaintsOf(200, { data: [{ ...sample?.sample, type: 'raid.started' }] })).toEqual([])
    expect(complaintsOf(200, { data: [{ ...sample?.sample, data: {} }] })).not.toEqual([])
  })
})

test('webhooks: a POST of each type, whose schema its sample fits and no other does', () => {
  expect(Object.keys(api.webhooks).toSorted()).toEqual([...subscribableTypes, 'webhook.test'].toSorted())
  for (const { type, sample } of samples) {
    const pointer = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema']
    expect(complaints('api', pointer, sample), type).toEqual([])
    expect(complaints('api', pointer, { ...sample, type: 'nope' }), type).not.toEqual([])
  }
})

describe('AsyncAPI', () => {
  const draft7 = new Ajv({ strict: false, validateFormats: false }).addSchema({ $id: 'events', ...events })

  test('has each type on both channels, with a schema that its sample fits', () => {
    const { feed, webhooks } = events.channels
    expect(Object.keys(feed.messages).toSorted()).toEqual([...subscribableTypes, 'end', 'progress'].toSorted())
    expect(Object.keys(webhooks.messages).toSorted()).toEqual([...subscribableTypes, 'webhook.test'].toSorted())
    for (const { type, sample } of samples) {
      const validate = draft7.getSchema(`events#/components/schemas/${eventSchemaName(type)}`)
      expect([type, validate?.(sample), validate?.({ ...sample, data: 'none' })]).toEqual([type, true, false])
    }
  })

  test('asks of the feed what OpenAPI asks', () => {
    const inQuery = feed?.parameters?.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    expect(Object.keys(events.operations.streamEvents.bindings.http.query.properties)).toEqual(inQuery)
  })
})

test('every document is served to any website, and found from where one begins', async () => {
  const paths = ['/openapi.json', '/openapi.extensions.json', '/asyncapi.json']
  const { body: metadata } = await app.request('GET /')
  const { text: llms } = await app.request('GET /llms.txt')
  for (const [n, document] of [api, extensions, events].entries()) {
    const { headers, body } = await app.request(`GET ${paths[n]}`)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toEqual(JSON.parse(JSON.stringify(document)))
    expect(Object.values(metadata)).toContain(`${app.base}${paths[n]}`)
    expect(llms).toContain(`${app.base}${paths[n]}`)
  }
  for (const [path, document] of [
    ['/docs/', '/openapi.json'],
    ['/docs/extensions', '/openapi.extensions.json'],
  ]) {
    const page = await app.request(`GET ${path}`)
    expect([page.status, page.text.includes(`data-document="${document}"`)]).toEqual([200, true])
    for (const other of ['/docs/', '/docs/extensions', '/asyncapi.json']) expect(page.text).toContain(`href="${other}"`)
  }
})
