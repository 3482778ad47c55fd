import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { sizeOf } from '../webhooks/support/long.ts'
import { type AccountStep, accountSteps } from './account-steps.ts'
import { ModelledAccount } from './living-links.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const pick = fc.nat(9)
const one = (...steps: AccountStep[]) => fc.tuple(fc.constantFrom(...steps), pick)
const anything = one(...accountSteps)

/** Mostly a link, something that happens meanwhile, and its use: what is merely shuffled seldom has a link to use. */
const part = fc.oneof(
  fc.tuple(anything),
  fc.tuple(
    one('ask for a reset'),
    anything,
    one('use the newest reset link', 'use the newest reset link twice at once', 'use any reset link'),
    one('log in', 'log in with an old password', 'use any reset link'),
  ),
  fc.tuple(
    one('change the address'),
    anything,
    one('use the newest link to confirm', 'use any link to confirm'),
    one('log in by address', 'use any reset link', 'use any link to confirm'),
  ),
  fc.tuple(
    one('change the address'),
    one('use the newest link to confirm'),
    one('change the address'),
    one('use the newest link to confirm'),
    anything,
    one('take the account back by the newest link', 'take the account back by any link'),
    one('take the account back by any link', 'log in by address'),
  ),
)
const order = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.flat())

/** What fails is printed with its seed and the shortest order. */
test('no order of resets, changes, confirmations, restorations, logins, revocations and deletions gives a session without the current password or a living link, and no link works twice', async () => {
  await fc.assert(
    fc.asyncProperty(order, async (steps) => {
      const account = await ModelledAccount.create(app)
      for (const [step, chosen] of steps) {
        const { should, was } = await account.take(step, chosen)
        expect([step, was]).toEqual([step, should])
        expect([step, await account.hasItsSessions()]).toEqual([step, true])
      }
    }),
    { numRuns: sizeOf('random orders of accounts', { short: 50, long: 500 }) },
  )
}, 600_000)
