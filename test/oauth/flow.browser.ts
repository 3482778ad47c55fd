import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchChromium } from '../console/support/browser.ts'
import { pkce } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

/** A native application's end of the flow: it listens on the own computer, and may send the browser on. */
async function listen(next?: string) {
  const server = createServer((request, response) => {
    if (next === undefined || request.url?.startsWith('/callback') !== true)
      return void response.end('You can go back.')
    return void response.writeHead(302, { location: next }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    redirectUri: `http://127.0.0.1:${port}/callback`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe.skipIf(!hasBrowser)('the flow of authorization', () => {
  let app: PeopleApp
  let chromium: Awaited<ReturnType<typeof launchChromium>>
  beforeAll(async () => {
    if (!hasBrowser) return
    app = await createPeopleApp()
    chromium = await launchChromium()
  })
  afterAll(async () => {
    await chromium?.[Symbol.asyncDispose]()
    await app?.[Symbol.asyncDispose]()
  })

  const ask = (page: Page, redirect_uri: string, challenge = pkce().challenge) =>
    page.goto(app.base + app.askPath(app.native, { redirect_uri, code_challenge: challenge, state: 'st' }))
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  async function logIn(page: Page, password = PASSWORD) {
    await page.getByLabel('Username').fill('grace')
    await page.getByLabel('Password').fill(password)
    await press(page, 'Log in')
  }

  test('a person logs in, allows it, and the application calls with the token', async () => {
    await using native = await listen()
    const { page, faults } = await chromium.visit()
    const { verifier, challenge } = pkce()
    await ask(page, native.redirectUri, challenge)
    await logIn(page)
    await press(page, 'Allow')
    await page.waitForURL(`${native.redirectUri}?**`)
    const { code = '', state, iss } = Object.fromEntries(new URL(page.url()).searchParams)
    expect([state, iss]).toEqual(['st', app.base])

    const proof = { code, code_verifier: verifier, redirect_uri: native.redirectUri }
    const { body } = await app.token({ grant_type: 'authorization_code', client_id: app.native.id, ...proof })
    const me = await app.request('GET /v1/users/me', { token: body.access_token })
    expect(me.body.data.username).toBe('grace')
    expect(faults).toEqual([])
  })

  test('A25 A15 a wrong password is said and can be tried again; Deny goes back without a code', async () => {
    await using native = await listen()
    const { page, faults } = await chromium.visit()
    await ask(page, native.redirectUri)
    await logIn(page, 'not the password')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe('grace')
    await logIn(page)
    await press(page, 'Deny')
    await page.waitForURL(`${native.redirectUri}?**`)
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('code')]).toEqual([
      'access_denied',
      'st',
      null,
    ])
    expect(faults).toEqual([])
  })

  test('who goes back is asked again, and can still decide', async () => {
    await using native = await listen()
    const { page, faults } = await chromium.visit()
    await ask(page, native.redirectUri)
    await logIn(page)
    await press(page, 'Deny')
    await page.waitForURL(`${native.redirectUri}?**`)
    await page.goBack()
    await press(page, 'Allow')
    await page.waitForURL(`${native.redirectUri}?**`)
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^lsac_/)
    expect(faults).toEqual([])
  })

  test('D10 an application may send the browser on to another origin', async () => {
    await using landing = await listen()
    await using native = await listen(`http://localhost:${landing.port}/landed`)
    const { page, faults } = await chromium.visit()
    await ask(page, native.redirectUri)
    await logIn(page)
    await press(page, 'Allow')
    await page.waitForURL(`http://localhost:${landing.port}/landed`)
    expect(faults).toEqual([])
  })
})
