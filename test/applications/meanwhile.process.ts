import { and, eq } from 'drizzle-orm'
import { afterAll, afterEach, describe, test } from 'vitest'
import { clients, applicationMembers as members } from '../../src/db/schema/index.ts'
import { appRouter } from '../../src/routers/index.ts'
import { callMeanwhile, type Happening } from '../support/meanwhile.ts'
import { casesOfRoles } from './role-cases.ts'
import { createPartiesApp, createSharedApplication, type SharedApplication } from './shared-application.ts'

const { app, people } = await createPartiesApp()
afterAll(() => app[Symbol.asyncDispose]())
afterEach(() => app.context.db.delete(clients)) // an account has at most a hundred

const happenings: Record<string, Happening<SharedApplication>> = {
  'is taken out': (tx, { id }) =>
    tx.delete(members).where(and(eq(members.clientId, id), eq(members.userId, people.developer.principal.userId))),
  'loses the application, which is deleted,': (tx, { id }) => tx.delete(clients).where(eq(clients.id, id)),
}

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>
const calls = Object.entries(casesOfRoles).filter(
  ([name, { role }]) => role !== 'owner' && procedures[name]?._def.type !== 'subscription',
)

describe.each(Object.entries(happenings))('whoever %s while a call of theirs is answered', (_, happening) => {
  test.each(calls)('is answered, or refused, by %s', async (name, { input }) => {
    const make = () => createSharedApplication(people)
    const stage = { ctx: app.context, target: app.target, make, callerOf: () => people.developer.caller }
    await callMeanwhile(stage, { name, inputOf: input, happening })
  })
})
