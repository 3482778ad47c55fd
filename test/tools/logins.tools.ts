import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluateGuide } from '../oauth/clients/guide-settings.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'
import { tools } from './support.ts'

/** The site of whoever uses the library: nothing listens there, its handler is called with requests. */
const SITE = 'http://127.0.0.1:3000'
type Handler = (request: Request) => Promise<Response>

const { resolve } = createRequire(join(tools, 'package.json'))
const load = (name: string) => import(resolve(name))

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** A visitor's browser, as far as the site sees it. */
function visitorOf(handler: Handler) {
  const cookies = new Map<string, string>()
  const keep = (line: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }
  return async (path: string, form?: { type: string; body: string }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: SITE, ...(form && { 'content-type': form.type }) }
    const init = form ? { method: 'POST', headers, body: form.body } : { headers }
    const response = await handler(new Request(new URL(path, SITE), init))
    for (const line of response.headers.getSetCookie()) keep(line)
    return response
  }
}

/** What happens at our pages between the site's redirect and ours back. */
async function consent(address: string, decision: 'allow' | 'deny') {
  const browser = await app.loggedIn()
  const { location } = await browser.submit(await browser.get(address), '/oauth/authorize', { decision })
  if (!location) throw new Error('The browser was not sent back')
  return location.href
}

const registered = (callback: string) => app.newClient({ redirectUris: [SITE + callback] })

describe('Auth.js', () => {
  async function open() {
    const { Auth } = await load('@auth/core')
    const { id: clientId, secret: clientSecret } = await registered('/auth/callback/developer-api')
    const provider = await evaluateGuide('Auth.js', app.base, { clientId, clientSecret })
    const quiet = { error: () => undefined, warn: () => undefined, debug: () => undefined }
    const config = {
      providers: [provider],
      secret: 'a secret of the site',
      trustHost: true,
      basePath: '/auth',
      logger: quiet,
    }
    const visit = visitorOf((request) => Auth(request, config))
    const { csrfToken } = (await (await visit('/auth/csrf')).json()) as { csrfToken: string }
    const body = new URLSearchParams({ csrfToken }).toString()
    const asked = await visit('/auth/signin/developer-api', { type: 'application/x-www-form-urlencoded', body })
    return { visit, address: asked.headers.get('location') ?? '' }
  }

  test('logs a visitor in by what the guide says', async () => {
    const { visit, address } = await open()
    await visit(await consent(address, 'allow'))
    const session = await (await visit('/auth/session')).json()
    expect(session).toMatchObject({ user: { name: 'grace', email: 'grace@example.com' } })
  })

  test('logs nobody in who denies it', async () => {
    const { visit, address } = await open()
    const back = await visit(await consent(address, 'deny'))
    expect(back.headers.get('location')).toContain('error')
    expect(await (await visit('/auth/session')).json()).toBeNull()
  })
})

describe('better-auth', () => {
  async function open() {
    const { betterAuth } = await load('better-auth')
    const { genericOAuth } = await load('better-auth/plugins')
    const { memoryAdapter } = await load('better-auth/adapters/memory')
    const { id: clientId, secret: clientSecret } = await registered('/api/auth/callback/developer-api')
    const provider = await evaluateGuide('better-auth', app.base, { clientId, clientSecret })
    const auth = betterAuth({
      baseURL: SITE,
      secret: 'a secret of the site that is long enough for it',
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      plugins: [genericOAuth({ config: [provider] })],
      telemetry: { enabled: false },
      logger: { disabled: true },
    })
    const visit = visitorOf((request) => auth.handler(request))
    const body = JSON.stringify({ provider: 'developer-api', callbackURL: '/welcome' })
    const asked = await visit('/api/auth/sign-in/social', { type: 'application/json', body })
    const { url } = (await asked.json()) as { url: string }
    return { visit, address: url }
  }

  test('logs a visitor in by what the guide says', async () => {
    const { visit, address } = await open()
    const back = await visit(await consent(address, 'allow'))
    expect(back.headers.get('location')).toBe('/welcome')
    const session = (await (await visit('/api/auth/get-session')).json()) as { user: object }
    expect(session.user).toMatchObject({ name: 'grace', email: 'grace@example.com', emailVerified: false })
  })

  test('logs nobody in who denies it', async () => {
    const { visit, address } = await open()
    await visit(await consent(address, 'deny'))
    expect(await (await visit('/api/auth/get-session')).json()).toBeNull()
  })
})
