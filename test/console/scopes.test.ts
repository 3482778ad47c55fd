import { expect, test } from 'vitest'
import { appRouter } from '../../src/routers/index.ts'
import type { OperationMeta } from '../../src/routers/operation-meta.ts'
import { applicationScopes, scopeDescriptions, scopeReach } from '../../src/shared/scope-descriptions.ts'

/** What some operation or procedure takes from a caller that need not be a user. */
function usableWithoutUser(): string[] {
  const metas = Object.values(appRouter._def.procedures).map(
    (procedure) => (procedure as unknown as { _def: { meta?: OperationMeta } })._def.meta,
  )
  const found = metas.flatMap((meta) =>
    meta?.access?.kind === 'scopes' && meta.access.by === 'anyone' ? [...meta.access.scopes] : [],
  )
  return [...new Set(found)].sort()
}

test('the scopes that keys are offered are those that an application can use for itself', () => {
  expect([...applicationScopes].sort()).toEqual(usableWithoutUser())
})

test('what an application may do is said of others, never of “you”', () => {
  expect(Object.keys(scopeReach)).toEqual(Object.keys(scopeDescriptions))
  expect(Object.values(scopeReach).filter((words) => /\byou/i.test(words))).toEqual([])
})
