import { afterAll, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { scopes } from '../../src/domain/core/scopes.ts'
import { type RestRoute, routes } from '../../src/rest/openapi/routes.ts'
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
