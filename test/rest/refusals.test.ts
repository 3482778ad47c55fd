import { TRPCError } from '@trpc/server'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { ofDatabase } from '../../src/db/db-error.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { appRouter } from '../../src/routers/index.ts'
import { faultOf, problemFrom } from '../../src/routers/problem.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(scopes, { user: await app.user('ada') })

type Declared = { _def: { inputs: z.ZodObject[] } }
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Declared>)
const fields = procedures.flatMap(([name, { _def }]) =>
  _def.inputs.flatMap(({ shape }) => Object.entries(shape).map(([field, schema]) => [name, field, schema] as const)),
)
const odd = [undefined, null, '', '\0', '\ud800', 'x', 'x'.repeat(20_000), 0, -1, 1.5, 1e300, Number.NaN, true, [], {}]
const nested = odd.flatMap((value) => [[value], ['x', value], { x: value }, { id: value, type: value }])
const tooMany = [Array.from({ length: 200 }, () => 'x'), Array.from({ length: 200 }, () => ({}))]

/** In our words: which field, and what it is or has to be. Those of libraries say neither. */
const SENTENCE = /^[\w.]+: (is|must|may|has|have) [^\n]*\.$/
const FOREIGN = /Invalid|expected|received|Too small|Too big|Unrecognized|procedure at path|on path|ZodError|JSON at/

const failureOf = (code: string) => Object.assign(new Error('x'), { code })

test('whatever is wrong with a field, at REST or /trpc, is said in a sentence of ours', () => {
  const said = new Map<string, string>()
  for (const [name, field, schema] of fields) {
    for (const value of [...odd, ...nested, ...tooMany]) {
      const { error } = z.object({ [field]: schema as z.ZodType }).safeParse({ [field]: value })
      if (error) said.set(problemFrom(new TRPCError({ code: 'BAD_REQUEST', cause: error })).message, `${name} ${field}`)
    }
  }
  expect(said.size).toBeGreaterThan(300)
  expect([...said].filter(([message]) => !SENTENCE.test(message) || FOREIGN.test(message))).toEqual([])
})

test.each([
  ...['DATABASE_AWAY', 'ECONNREFUSED', '57P01', '53100', '53200', '53300', '53400', 'BULKHEAD_FULL'].map(
    (code) => [code, 503, false] as const,
  ),
  ...['57014', '55P03', '25006', '25P03'].map((code) => [code, 503, true] as const),
  ['XX000', 500, true] as const,
])('%s of the database is %d, and logged for the request that met it: %s', (code, status, isLogged) => {
  const error = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: ofDatabase(failureOf(code)) })
  expect(problemFrom(error).status).toBe(status)
  expect(faultOf(error) !== undefined, 'the others are logged once for all requests').toBe(isLogged)
})

test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'CONNECTION_CLOSED'])(
  '%s of whatever else is called is a fault of ours, and logged',
  (code) => {
    const error = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: failureOf(code) })
    expect([problemFrom(error).status, faultOf(error)]).toEqual([500, error.cause])
  },
)

describe('what /trpc refuses before any procedure is called', () => {
  test.each([
    ['GET /trpc/no.such', undefined, 404],
    ['POST /trpc/__proto__', '{}', 404],
    ['GET /trpc/', undefined, 404],
    ['GET /trpc/a,b', undefined, 404],
    ['GET /trpc/channels.update', undefined, 405],
    ['POST /trpc/channels.list', '{}', 405],
    ['POST /trpc/channels.update', '{', 400],
    ['GET /trpc/channels.list?input=%7B', undefined, 400],
    ['GET /trpc/channels.list?batch=1&input=%7B', undefined, 400],
    ['GET /trpc/channels.list?batch=1&input=1', undefined, 400],
    [`GET /trpc/${Array.from({ length: 11 }, () => 'channels.list').join()}?batch=1`, undefined, 400],
  ])('%s %s', async (route, body, status) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.request(route, { token, headers, ...(body !== undefined && { body }) })
    const [failed] = [answer.body].flat()
    expect([answer.status, failed.error.data.httpStatus]).toEqual([status, status])
    expect(failed.error.message).toMatch(/^[A-Zi][^\n]*\.$/)
    expect(failed.error.message).not.toMatch(FOREIGN)
  })
})
