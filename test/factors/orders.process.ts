import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { statement } from '../../src/db/statement.ts'
import { authenticateSession } from '../../src/domain/access/authenticate.ts'
import type { Entry } from '../../src/domain/accounts/enter.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import { completeLogin } from '../../src/domain/accounts/second-step.ts'
import { stepUp } from '../../src/domain/accounts/step-up.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { removeTotp, resetFactors } from '../../src/domain/factors/remove.ts'
import { PASSWORD } from '../support/log.ts'
import { sizeOf } from '../webhooks/support/long.ts'
import { authenticatorOf, createFactorsApp, type FactorsApp } from './people.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Sessions of people who have a factor that were begun without one. */
const unproved = statement<[], { id: string }>(`
  select s.id from login_sessions s
   where not s.amr && '{otp,hwk}'
     and (exists (select from totp_factors t where t.user_id = s.user_id)
       or exists (select from passkeys p where p.user_id = s.user_id))`)

const steps = [
  'password',
  'wrong password',
  'code',
  'used code',
  'wrong code',
  'recovery code',
  'used recovery code',
  'code of another login',
  'enrol',
  'remove',
  'reset',
  'new password',
  'step up by password',
  'step up by code',
] as const
type Step = (typeof steps)[number]

/** Somebody whose browser does all kinds of things, in whatever order; what was accepted is what the step answers. */
async function somebody() {
  const user = await app.person()
  const { caller } = await app.actingAs(user)
  let password = PASSWORD
  let session: string | undefined
  const pending: string[] = []
  const used: { code?: string; recovery?: string } = {}
  let uri: string | undefined
  let recovery: string[] = []

  const ctx = () => ({ ...app.context, counters: unlimitedCounters, caller: { ...caller, session } })
  const acting = async () => {
    if (session === undefined) throw new Error('Nobody is logged in')
    return { ...ctx(), caller: { ...caller, session }, principal: await authenticateSession(ctx(), session) }
  }
  const code = () => {
    app.later(2)
    return uri === undefined ? '123456' : authenticatorOf(uri, () => app.clock.at).at()
  }
  const enter = (entry: Entry) => {
    if ('session' in entry) session = entry.session
    else pending.push(entry.pending)
  }
  const complete = async (typed: string, login = pending.at(-1)) => {
    session = await completeLogin(ctx(), login, typed)
  }

  const doing: Record<Step, () => Promise<void>> = {
    password: async () => enter(await logIn(ctx(), { username: user.username, password })),
    'wrong password': async () => enter(await logIn(ctx(), { username: user.username, password: `${password}!` })),
    code: async () => {
      const typed = code()
      await complete(typed)
      used.code = typed
    },
    'used code': () => complete(used.code ?? '000000'),
    'wrong code': () => complete('000000'),
    'recovery code': async () => {
      const typed = recovery.pop() ?? ''
      await complete(typed)
      used.recovery = typed
    },
    'used recovery code': () => complete(used.recovery ?? ''),
    'code of another login': () => complete(code(), pending[0]),
    enrol: async () => {
      const { uri: next } = await startTotp(await acting())
      uri = next
      const made = await confirmTotp(await acting(), { code: code() })
      recovery = made.recovery_codes ?? recovery
    },
    remove: async () => removeTotp(await acting()),
    reset: async () => void (await resetFactors(app.context, user.username)),
    'new password': async () => {
      const next = `${password}+`
      await changePassword(await acting(), { current_password: password, new_password: next })
      password = next
    },
    'step up by password': async () => stepUp(await acting(), { password }),
    'step up by code': async () => stepUp(await acting(), { code: code() }),
  }
  return doing
}

const mayNever: readonly Step[] = ['wrong password', 'used code', 'wrong code', 'used recovery code']

test('no order of calls gives a session without all factors, and nothing that was used or is wrong is ever taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 4, maxLength: 24 }), async (order) => {
      const doing = await somebody()
      for (const step of order) {
        const isDone = await doing[step]().then(
          () => true,
          () => false,
        )
        if (mayNever.includes(step)) expect(isDone, step).toBe(false)
        expect(await unproved(app.context.db), step).toEqual([])
      }
    }),
    { numRuns: sizeOf('random orders of logins', { short: 30, long: 500 }) },
  )
}, 300_000)
