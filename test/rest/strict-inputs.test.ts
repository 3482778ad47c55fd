import type { AnyProcedure } from '@trpc/server'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { scopes } from '../../src/domain/core/scopes.ts'
import { type RestRoute, routes } from '../../src/rest/openapi/routes.ts'
import { appRouter } from '../../src/routers/index.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

/** An input that has all that is wanted, and `true` where a number should be. */
function inputOf({ procedure, fields, numbers }: RestRoute) {
  const [schema] = (procedure._def as unknown as { inputs: z.ZodObject[] }).inputs
  const isWanted = (name: string) => !schema?.shape[name].safeParse(undefined).success
  const texts = fields.filter((name) => !numbers.includes(name) && isWanted(name)).map((name) => [name, 'ada'])
  return Object.fromEntries([...texts, ...numbers.map((name) => [name, true])])
}

describe.each(routes.filter(({ numbers }) => numbers.length > 0))('$name', (route) => {
  const { name, numbers, operation } = route

  test('what REST is asked does not change what /trpc takes', async () => {
    const token = await app.token(scopes, { user: await app.user(name.replace(/\W/, '_').toLowerCase()) })
    const call = `GET /trpc/${name}?input=${encodeURIComponent(JSON.stringify(inputOf(route)))}`
    const refused = { status: 400, message: `${numbers[0]}: must be of type number, not boolean.` }
    const ask = async () => {
      const { status, body } = await app.request(call, { token })
      return { status, message: body.error?.message }
    }
    expect(await ask()).toEqual(refused)
    expect((await app.request(operation.route.replace(/\{.+?\}/g, 'ada'), { token })).status).not.toBe(401)
    expect(await ask()).toEqual(refused)
  })
})

const withBody = routes.filter(({ form }) => form)

test('there are several operations with a body', () => {
  expect(withBody.length).toBeGreaterThan(5)
})

test('what an operation with a body takes is all in the body: neither its form nor what an `Idempotency-Key` is kept for looks at the path', () => {
  expect(withBody.flatMap(({ operation: { route } }) => (route.includes('{') ? [route] : []))).toEqual([])
})

test('and all of it are texts and lists of texts, for others no form could send', () => {
  const text = { type: 'string' }
  const nullable = { anyOf: [text, { type: 'null' }] }
  for (const { input, form, operation } of withBody) {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    for (const [name, shape] of Object.entries(properties)) {
      const type = form?.nullables.has(name) ? nullable : text
      expect(shape, `${operation.route} ${name}`).toMatchObject(form?.lists.has(name) ? { items: text } : type)
    }
  }
})

test.each([
  [{ url: 1 }, 'url: must be of type string, not number.'],
  [{ event_types: 'chat.message.sent' }, 'event_types: must be of type array, not string.'],
  [{ event_types: ['chat.message.sent', 1] }, 'event_types.1: must be of type string, not number.'],
  [{ event_types: [null] }, 'event_types.0: must be of type string, not null.'],
  [{ description: false }, 'description: must be of type string, not boolean.'],
  [{ description: null }, 'nul: must not contain NUL.'],
])('a type that is wrong is said before a NUL: %j', async (fields, message) => {
  const token = await app.token(['webhook:write'])
  const body = { url: 'https://example.com/hook', event_types: ['chat.message.sent'], nul: '\0', ...fields }
  const { status, body: answer } = await app.request('POST /v1/events/subscriptions', { token, body })
  expect([status, answer.error.message]).toEqual([400, message])
})

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyProcedure>)
const listsIn = (schema: unknown): { maxItems?: number }[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'type' in schema && schema.type === 'array' ? [schema as { maxItems?: number }] : []
  return [...own, ...Object.values(schema).flatMap(listsIn)]
}

test('every list that is taken, by REST or at /trpc, is bounded before its items are looked at', () => {
  const lists = procedures.flatMap(([name, { _def }]) =>
    (_def as unknown as { inputs: z.ZodType[] }).inputs
      .flatMap((input) => listsIn(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })))
      .map(({ maxItems }) => [name, maxItems]),
  )
  expect(lists.length).toBeGreaterThan(5)
  expect(lists.filter(([, maxItems]) => maxItems !== 100)).toEqual([])
})

describe.each(['POST /oauth/token', 'POST /v1/events/subscriptions'])('%s', (route) => {
  const names = Array.from({ length: 250 }, (_, n) => `${n}`)
  const multipart = new FormData()
  for (const name of names) multipart.append(name, '')
  test.each([
    ['JSON', Object.fromEntries(names.map((name) => [name, 1]))],
    ['a form', new URLSearchParams(names.map((name): [string, string] => [name, '']))],
    ['a multipart form', multipart],
  ])('hundreds of names are refused before any is looked at: %s', async (_, body) => {
    const { status, body: answer } = await app.request(route, { token: await app.token(['webhook:write']), body })
    const isTooLong = body === multipart && route === 'POST /oauth/token'
    expect([status, answer.error?.message]).toEqual(
      isTooLong ? [413, 'body: may have at most 16384 bytes.'] : [400, 'body: may have at most 200 fields.'],
    )
  })
})

test('a query is read as the whole numbers that it names', async () => {
  const token = await app.token(['category:read'])
  const refusals = await Promise.all(
    ['0', '-1', '101', '1.5', 'true', '', '%205'].map(async (limit) => {
      const { status, body } = await app.request(`GET /v1/categories/?limit=${limit}`, { token })
      return [limit, status, body.error?.message]
    }),
  )
  expect(refusals).toEqual([
    ['0', 400, 'limit: must be at least 1.'],
    ['-1', 400, 'limit: must be at least 1.'],
    ['101', 400, 'limit: must be at most 100.'],
    ...['1.5', 'true', '', '%205'].map((limit) => [limit, 400, 'limit: must be a whole number.']),
  ])
  expect((await app.request('GET /v1/categories/?limit=1', { token })).status).toBe(200)
})
