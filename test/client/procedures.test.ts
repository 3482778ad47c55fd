import { afterAll, describe, expect, test } from 'vitest'
import type { Access } from '../../src/domain/access/admission.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { appRouter } from '../../src/routers/index.ts'
import type { OperationMeta } from '../../src/routers/operation-meta.ts'
import { createTestApp } from '../support/app.ts'

type Procedure = { _def: { type: 'query' | 'mutation' | 'subscription'; meta?: OperationMeta } }

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
const guarded = procedures.flatMap(([name, { _def }]) =>
  _def.meta?.access ? [{ name, type: _def.type, access: _def.meta.access }] : [],
)

/** Calls a procedure without input, whose check comes after the caller's. A stream says in itself why it is refused. */
async function call(name: string, type: string, headers: Record<string, string>) {
  const isRead = type !== 'mutation'
  const reply = await app.request(`${isRead ? 'GET' : 'POST'} /trpc/${name}`, { headers, ...(!isRead && { body: {} }) })
  return type === 'subscription' ? { ...reply, status: Number(/"httpStatus":(\d+)/.exec(reply.text)?.[1]) } : reply
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('what is public is what the specification and the standards leave open', () => {
  const open = procedures.filter(([, { _def }]) => !_def.meta?.access).map(([name]) => name)
  const ofOauth = ['deviceAuthorization', 'introspect', 'keys', 'revoke', 'token'].map((name) => `oauth.${name}`)
  expect(open.toSorted()).toEqual(['health.live', 'health.metadata', 'health.ready', ...ofOauth])
})

/** Every procedure of /trpc, also those without a path of their own, now and in future. */
describe.each(guarded)('$name', ({ name, type, access }) => {
  test('is closed to strangers', async () => {
    for (const headers of [{}, bearer('nobody'), { cookie: 'sid=nobody' }]) {
      const { status } = await call(name, type, headers)
      expect(status).toBe(401)
    }
  })

  test('is closed to credentials that are too weak for it', async () => {
    for (const token of await tooWeakFor(access)) {
      const { status, text } = await call(name, type, bearer(token))
      expect(status, text).toBe(403)
    }
  })
})

async function tooWeakFor(access: Access): Promise<string[]> {
  if (access.kind === 'cron') return []
  if (access.kind === 'session') {
    const { credential } = access
    const others = scopes.filter((scope) => scope !== credential?.scope)
    const ofUser = await app.token(credential?.by === 'anyone' ? others : scopes, { user: ada })
    return credential?.scope === 'any' ? [] : [ofUser, await app.token(others)]
  }
  const others = scopes.filter((scope) => !access.scopes.includes(scope))
  const withoutScope = [await app.token(others), await app.token(others, { user: ada })]
  return access.by === 'user' ? [...withoutScope, await app.token(scopes)] : withoutScope
}
