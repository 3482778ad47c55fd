import { eq } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { applicationMembers, clients } from '../../src/db/schema/index.ts'
import { Problem } from '../../src/domain/core/problem.ts'
import { appRouter } from '../../src/routers/index.ts'
import type { OperationMeta } from '../../src/routers/operation-meta.ts'
import { problemFrom } from '../../src/routers/problem.ts'
import { isAtLeast, type Role } from '../../src/shared/roles.ts'
import { casesOfRoles, isAboutNoApplication, type RoleCase } from './role-cases.ts'
import {
  createPartiesApp,
  createSharedApplication,
  type Party,
  parties,
  type SharedApplication,
} from './shared-application.ts'

const { app, people } = await createPartiesApp()
afterAll(() => app[Symbol.asyncDispose]())
afterEach(() => app.context.db.delete(clients)) // an account has at most a hundred

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { meta?: OperationMeta } }>

/** Nobody is admitted yet: the call does that, by the session. */
const callerOf = (party: Party) => appRouter.createCaller({ ...app.context, caller: people[party].caller })

/** A call as the console makes it, by the session of one of the people. */
async function call(party: Party, name: string, input: unknown): Promise<unknown> {
  const reached = name
    .split('.')
    .reduce((at, part) => (at as Record<string, unknown>)[part], callerOf(party) as unknown)
  const found = await (reached as (input: unknown) => Promise<unknown>)(input)
  if (!(Symbol.asyncIterator in Object(found))) return found
  const stream = (found as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  const first = await stream.next()
  await stream.return?.()
  return first.value
}

const refusals = ['forbidden', 'not_found', 'subscription_not_found']

/** Whether somebody gets through; what is refused for another reason has got through to it. */
async function isLetIn(party: Party, name: string, one: RoleCase, target: SharedApplication): Promise<boolean> {
  try {
    const found = await call(party, name, one.input(target))
    const shown = one.shows?.(target)
    return shown === undefined || JSON.stringify(found).includes(shown)
  } catch (error) {
    const problem = error instanceof Problem ? error : problemFrom(error as never)
    if (!problem || ['internal_error', 'step_up_required'].includes(problem.code)) throw error
    if (problem.code === 'invalid_request' && !one.mayFail) throw error
    return !refusals.includes(problem.code)
  }
}

const isAllowed = (party: Party, wanted: Role) =>
  (party === 'owner' || party === 'developer' || party === 'viewer') && isAtLeast(party, wanted)

describe('who may call what is about an application', () => {
  test.each(Object.entries(casesOfRoles))('%s', async (name, one) => {
    const refused = parties.filter((party) => !isAllowed(party, one.role))
    const target = await createSharedApplication(people)
    for (const party of refused) expect(await isLetIn(party, name, one, target), party).toBe(false)
    for (const party of parties.filter((other) => !refused.includes(other))) {
      expect(await isLetIn(party, name, one, await createSharedApplication(people)), party).toBe(true)
    }
    expect(procedures[name]?._def.meta?.role ?? 'owner').toBe(one.role)
  })
})

test('whatever a session may call is either about no application or stands in the table above', () => {
  const bySession = Object.entries(procedures).filter(
    ([, { _def }]) => _def.meta?.access?.kind === 'session' || _def.meta?.role,
  )
  const rest = bySession.map(([name]) => name).filter((name) => !isAboutNoApplication(name))
  expect(rest.sort()).toEqual(Object.keys(casesOfRoles).sort())
})

test('what a viewer reads holds no key, secret or token, and leads to none', async () => {
  const { id, key, keyId, subscriptionId, requestId } = await createSharedApplication(people)
  const seen = await Promise.all([
    call('viewer', 'applications.get', { id }),
    call('viewer', 'webhooks.get', { id: subscriptionId }),
    call('viewer', 'applications.audit', { application_id: id }),
    call('viewer', 'requests.explain', { request_id: requestId }),
    call('viewer', 'usage.get', { application_id: id }),
  ])
  for (const value of [key, key.slice(4, 20), 'whsec_', 'hash']) expect(JSON.stringify(seen)).not.toContain(value)
  expect(await call('viewer', 'search.find', { text: keyId })).toEqual([])
  expect(await call('developer', 'search.find', { text: keyId })).toHaveLength(1)
  const keysOf = async (party: Party) =>
    JSON.stringify(((await call(party, 'applications.attention', {})) as { keys: unknown }).keys)
  expect(await keysOf('viewer')).not.toContain(keyId)
  expect(await keysOf('developer')).toContain(keyId)
})

test('each sees what they are in an application', async () => {
  const { id } = await createSharedApplication(people)
  for (const party of ['owner', 'developer', 'viewer'] as const) {
    expect(await call(party, 'applications.get', { id })).toMatchObject({ id, role: party })
    const { items } = (await call(party, 'applications.list', {})) as { items: { id: string; role: Role }[] }
    expect(items.find((one) => one.id === id)?.role).toBe(party)
  }
})

test('what a member follows ends when they are taken out, and goes on when somebody else is', async () => {
  const { id } = await createSharedApplication(people)
  const watch = async (party: Party) =>
    (await callerOf(party).deliveries.watch({ application_id: id }))[Symbol.asyncIterator]()
  const [theirs, others] = [await watch('viewer'), await watch('developer')]
  await Promise.all([theirs.next(), others.next()])
  const ended = theirs.next()
  const waits = others.next()
  const { userId } = people.viewer.principal
  await app.context.db.delete(applicationMembers).where(eq(applicationMembers.userId, userId))
  app.context.credentials.end(userId) // as it is announced to every process
  await expect(ended).rejects.toMatchObject({ code: 'subscription_not_found' })
  await call('developer', 'webhooks.test', { id: await subscriptionOf(id) })
  expect((await waits).done).toBe(false)
  await others.return?.()
})

const subscriptionOf = async (application_id: string) => {
  const { items } = (await call('owner', 'webhooks.list', { application_id })) as { items: { id: string }[] }
  return items[0]?.id ?? ''
}
