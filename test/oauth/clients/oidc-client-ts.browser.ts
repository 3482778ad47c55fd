import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../../src/domain/accounts/accounts.ts'
import { hasBrowser, launchChromium } from '../../console/support/browser.ts'
import { PASSWORD } from '../../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../../support/people.ts'
import { codeInGuide } from './guide-settings.ts'

const library = readFileSync(new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')))

async function logIn(page: Page, username: string) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

describe.skipIf(!hasBrowser)('oidc-client-ts, on a page of another origin', () => {
  let app: PeopleApp
  let chromium: Awaited<ReturnType<typeof launchChromium>>
  let site: { base: string; close: () => void }
  beforeAll(async () => {
    if (!hasBrowser) return
    app = await createPeopleApp()
    await createUser(app.context, { username: 'ida', email: 'ida@example.com', password: PASSWORD })
    chromium = await launchChromium()
    site = await openSite()
  })
  afterAll(async () => {
    await chromium?.[Symbol.asyncDispose]()
    site?.close()
    await app?.[Symbol.asyncDispose]()
  })

  /** A page of a public application, which makes its user manager as the guide has it. */
  async function openSite() {
    let page = ''
    const server = createServer((request, response) => {
      if (request.url === '/library.js') return void response.setHeader('content-type', 'text/javascript').end(library)
      return void response.setHeader('content-type', 'text/html').end(page)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const redirect_uri = `${base}/callback`
    const { id } = await app.newClient({ isConfidential: false, redirectUris: [redirect_uri] })
    page = `<!doctype html><link rel="icon" href="data:,"><pre></pre><script src="/library.js"></script><script>
      const { UserManager } = oidc
      const client_id = ${JSON.stringify(id)}, redirect_uri = ${JSON.stringify(redirect_uri)}
      const manager = ${codeInGuide('oidc-client-ts', app.base)}
      const show = (what) => { document.querySelector('pre').textContent = JSON.stringify(what) }
      const fail = (error) => show({ error: error.error ?? String(error) })
      if (location.pathname === '/callback') manager.signinCallback().then(show, fail)
      else manager.signinRedirect().catch(fail)
    </script>`
    return { base, close: () => server.close() }
  }

  test('logs somebody in with PKCE and a checked ID token, gets new tokens in silence, and ends them', async () => {
    const { page, faults } = await chromium.visit()
    await page.goto(site.base)
    await logIn(page, 'grace')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${site.base}/callback?**`)
    await page.locator('pre', { hasText: '{' }).waitFor()
    const user = JSON.parse((await page.locator('pre').textContent()) ?? '')
    expect(user).toMatchObject({
      token_type: 'Bearer',
      scope: 'openid profile',
      profile: { sub: app.grace.id },
    })
    const renewed = (await page.evaluate('manager.signinSilent()')) as typeof user
    expect(renewed.profile.sub).toBe(app.grace.id)
    expect(renewed.access_token).not.toBe(user.access_token)
    expect(await app.statusOf(renewed.access_token)).not.toBe(401)

    const claims = await page.evaluate(`(async () => {
      const { access_token } = await manager.getUser()
      const headers = { authorization: 'Bearer ' + access_token }
      return (await fetch(await manager.metadataService.getUserInfoEndpoint(), { headers })).json()
    })()`)
    expect(claims).toMatchObject({ sub: app.grace.id, preferred_username: 'grace' })
    await page.evaluate('manager.revokeTokens()')
    expect(await app.statusOf(renewed.access_token)).toBe(401)
    expect(faults).toEqual([])
  })

  test('is told that somebody denied it', async () => {
    const { page } = await chromium.visit()
    await page.goto(`${app.base}/login`)
    await logIn(page, 'ida')
    await page.goto(site.base)
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.locator('pre', { hasText: 'access_denied' }).waitFor()
  })
})
