import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchChromium, logIn } from '../console/support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, startService } from '../support/process.ts'

/** Passkeys need a name, so this service is at localhost. */
async function startAtName() {
  const data = folderWithCluster()
  const port = await freePort()
  const base = `http://localhost:${port}`
  const service = await startService({ DATA_DIR: data.path, LOG_LEVEL: 'error', PORT: String(port), PUBLIC_URL: base })
  if (!service.isReady) throw new Error(service.output.text.stderr)
  return {
    base,
    async [Symbol.asyncDispose]() {
      await service.stop()
      data[Symbol.dispose]()
    },
  }
}

/** A passkey of the browser's own, whose user it verifies without being asked. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  })
  return { devtools, authenticatorId }
}

/** Puts the counter of its only passkey back, as in a copy that was made before. */
async function rewind({ devtools, authenticatorId }: { devtools: CDPSession; authenticatorId: string }) {
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
  const [credential] = credentials
  if (!credential) throw new Error('There is no passkey')
  await devtools.send('WebAuthn.clearCredentials', { authenticatorId })
  await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe.skipIf(!hasBrowser)('passkeys in a browser', () => {
  let at: Awaited<ReturnType<typeof startAtName>>
  let chromium: Awaited<ReturnType<typeof launchChromium>>
  beforeAll(async () => {
    if (!hasBrowser) return
    at = await startAtName()
    chromium = await launchChromium()
  })
  afterAll(async () => {
    await chromium?.[Symbol.asyncDispose]()
    await at?.[Symbol.asyncDispose]()
  })

  test('one is made in the console, logs in alone and after the password, and that of a copy is refused', async () => {
    const { page, faults } = await chromium.visit({ baseURL: at.base })
    const authenticator = await addAuthenticator(page)
    const person = { username: 'ada_keys', password: 'a long pass phrase' }
    await page.goto('/signup?next=%2Fconsole%2Faccount%2Fsecurity')
    await page.getByLabel('Username').fill(person.username)
    await page.getByLabel('Email').fill('ada_keys@example.org')
    await page.getByLabel('Password').fill(person.password)
    await press(page, 'Sign up')

    await press(page, 'Add a passkey')
    await page.getByText('Fill this in.').waitFor()
    await page.getByLabel('Name of a new passkey').fill('Phone')
    const { devtools, authenticatorId } = authenticator
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await press(page, 'Add a passkey')
    await page.getByText('It was not confirmed, or not in time: nothing was done.').waitFor()
    expect(await page.getByLabel('Name of a new passkey').inputValue()).toBe('Phone')
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await press(page, 'Add a passkey')
    const codes = page.getByTestId('secret')
    expect(((await codes.textContent()) ?? '').trim().split('\n')).toHaveLength(10)
    await press(page, 'I have kept it')
    await page.getByText('Phone', { exact: true }).waitFor()

    await page.goto('/logout')
    await press(page, 'Log out')
    await press(page, 'Use a passkey')
    await page.waitForURL('**/console/**')

    await page.goto('/logout')
    await press(page, 'Log out')
    await logIn(page, person)
    await page.getByText('Confirm that it is you').waitFor()
    await press(page, 'Use a passkey')
    await page.waitForURL('**/console/**')

    await page.goto('/logout')
    await press(page, 'Log out')
    await rewind(authenticator)
    await press(page, 'Use a passkey')
    await page.getByText('This passkey did not work here').waitFor()
    expect(faults).toEqual([])
  })

  test('what wants a fresh login asks in place, keeps the form, and is done once it is proved', async () => {
    const { page } = await chromium.visit({ baseURL: at.base })
    await page.goto('/signup?next=%2Fconsole%2Fdeveloper%2Fapplications%2Fnew')
    await page.getByLabel('Username').fill('bob_late')
    await page.getByLabel('Email').fill('bob_late@example.org')
    await page.getByLabel('Password').fill('a long pass phrase')
    await press(page, 'Sign up')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('My late bot')
    await page.getByLabel('channel:read').check()

    const problem = { code: 'step_up_required', message: 'Confirm that it is you.' }
    const error = { message: problem.message, code: -32003, data: { code: 'FORBIDDEN', httpStatus: 403, problem } }
    await page.route('**/trpc/applications.create**', (route) => route.fulfill({ status: 403, json: [{ error }] }), {
      times: 1,
    })
    await page.getByRole('button', { name: 'Create application' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel('Password').fill('not my password')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('It is not your password.').waitFor()
    expect(await name.inputValue()).toBe('My late bot')
    await dialog.getByLabel('Password').fill('a long pass phrase')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByTestId('secret').waitFor()
  })
})
