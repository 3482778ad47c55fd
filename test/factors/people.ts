import { TOTP } from 'otpauth'
import { authenticateSession } from '../../src/domain/access/authenticate.ts'
import { startSession } from '../../src/domain/access/sessions.ts'
import { createUser } from '../../src/domain/accounts/accounts.ts'
import type { CalledContext, UserContext } from '../../src/domain/core/context.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { callerOf } from '../../src/rest/http/caller.ts'
import type { Browser, Page } from '../support/browser.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp } from '../support/people.ts'

/** An authenticator app, at the time of `now`. */
export function authenticatorOf(uri: string, now: () => Date) {
  const { secret } = Object.fromEntries(new URL(uri).searchParams)
  const totp = new TOTP({ secret: secret ?? '' })
  return { at: (steps = 0) => totp.generate({ timestamp: now().getTime() + steps * 30_000 }) }
}

/** The service with people who have second factors. */
export async function createFactorsApp(overrides: Parameters<typeof createPeopleApp>[0] = {}) {
  const secretKey = 'k'.repeat(40)
  const app = await createPeopleApp({ keyring: new Keyring([secretKey]), ...overrides })
  const { context, clock } = app
  let people = 0

  async function person() {
    const username = `person_${++people}`
    return createUser(context, { username, email: `${username}@example.com`, password: PASSWORD })
  }

  /** A context of somebody who has just logged in by password, from an address of their own. */
  async function actingAs(user: { id: string; username: string }, address = '192.0.2.8') {
    const caller = callerOf({ headers: {}, rawHeaders: [], socket: { remoteAddress: address } } as never, 0)
    const session = await startSession({ ...context, caller }, user.id, ['pwd'])
    const principal = await authenticateSession(context, session)
    return { ...context, caller: { ...caller, session }, principal } satisfies UserContext & CalledContext
  }

  /** Somebody with an authenticator, and the session in which it was set up. */
  async function protectedPerson() {
    const user = await person()
    const ctx = await actingAs(user)
    const { uri } = await startTotp(ctx)
    const app = authenticatorOf(uri, () => clock.at)
    const { recovery_codes: recovery } = await confirmTotp(ctx, { code: app.at() })
    return { user, ctx, uri, authenticator: app, recovery: recovery ?? [] }
  }

  /** Lets time go by for the authenticators, so that the next code is one that was never used. */
  const later = (steps = 1) => {
    clock.at = new Date(clock.at.getTime() + steps * 30_000)
  }

  /** The first step of a login: the page that it leads to. */
  async function withPassword(browser: Browser, username: string): Promise<Page> {
    const { status, location } = await app.logIn(browser, username)
    if (status !== 303) throw new Error(`The login answered ${status}`)
    return browser.get(`${location?.pathname}${location?.search}`)
  }
  const withCode = (browser: Browser, page: Page, code: string) => browser.submit(page, '/login/code', { code })
  const isLoggedIn = async (browser: Browser) => (await browser.get('/login')).status === 303

  return {
    ...app,
    secretKey,
    person,
    actingAs,
    protectedPerson,
    later,
    withPassword,
    withCode,
    isLoggedIn,
  }
}
export type FactorsApp = Awaited<ReturnType<typeof createFactorsApp>>
