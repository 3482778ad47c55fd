import { createUser } from '../../src/domain/accounts/accounts.ts'
import { Browser, type Page } from './browser.ts'
import type { TestClient } from './context.ts'
import { CALLBACK, createOAuthApp, NATIVE_CALLBACK, pkce } from './flows.ts'
import { PASSWORD } from './log.ts'

/** The service with a person who can log in, and what a browser does on the way to a code. */
export async function createPeopleApp(overrides: Parameters<typeof createOAuthApp>[0] = {}) {
  const app = await createOAuthApp(overrides)
  const grace = await createUser(app.context, { username: 'grace', email: 'grace@example.com', password: PASSWORD })

  /** The path of an authorization request; undefined leaves a parameter out. */
  function askPath(client: TestClient, changes: Record<string, string | undefined> = {}) {
    const fields = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.secret === undefined ? NATIVE_CALLBACK : CALLBACK,
      scope: 'user:read chat:read',
      state: 'st 1/+&=?',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
      ...changes,
    }
    const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `/oauth/authorize?${new URLSearchParams(given)}`
  }

  async function logIn(browser: Browser, username = 'grace', password = PASSWORD): Promise<Page> {
    return browser.submit(await browser.get('/login'), '/login', { username, password })
  }

  async function loggedIn(): Promise<Browser> {
    const browser = new Browser(app.base)
    const { status } = await logIn(browser)
    if (status !== 303) throw new Error(`The login answered ${status}`)
    return browser
  }

  return { ...app, grace, askPath, logIn, loggedIn, newBrowser: () => new Browser(app.base) }
}
export type PeopleApp = Awaited<ReturnType<typeof createPeopleApp>>

/** The parameters of a redirect, each as often as it is there. */
export const parametersOf = ({ location }: Page) => Object.fromEntries(location?.searchParams ?? [])
