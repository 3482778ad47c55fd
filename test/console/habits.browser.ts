import { describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

describe.skipIf(!hasBrowser)('the console', () => {
  test('leads to the page that was asked for, once somebody has logged in', async () => {
    await using browser = await openBrowser()
    const { page } = await browser.visit()
    await page.goto('/console/developer/deliveries?outcome=failed')
    await page.getByText('Log in to see the page that you have asked for.').waitFor()
    await page.getByRole('link', { name: 'Log in' }).click()
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    expect(new URL(page.url()).search).toBe('?outcome=failed')
  })

  test('remembers pages for the back button, and says when there is none', async () => {
    await using browser = await openBrowser()
    const { page, faults } = await browser.visit()
    await page.goto('/login?next=/console/developer')
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.getByRole('link', { name: 'chat.message.sent' }).click()
    await page.getByRole('heading', { name: 'chat.message.sent' }).waitFor()
    expect(await page.title()).toBe('chat.message.sent · Developer console')
    await page.goBack()
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
    await page.goto('/console/developer/applications/cli_00000000000000000000000000')
    await page.getByText('you have no application with this identifier').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/not_found.*Request [0-9a-f-]{36}/)
    await page.goto('/console/no/such/page')
    await page.getByText('This page does not exist').waitFor()
    expect(faults).toEqual([])
  })

  test('says that it has lost the service, and goes on by itself once it is back', async () => {
    await using browser = await openBrowser()
    const { page } = await browser.visit()
    await page.goto('/login?next=/console/studio/chat')
    await logIn(page, browser.product.demo.users.streamer)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.route('**/trpc/**', (route) => route.abort('connectionrefused'))
    await page.getByLabel('Message', { exact: true }).fill('Can you hear me?')
    await page.keyboard.press('Enter')
    await page.getByText('Reconnecting…').waitFor()
    const draft = page.getByRole('listitem').filter({ hasText: 'Can you hear me?' })
    await draft.getByText('The service did not answer.').waitFor()
    await page.unroute('**/trpc/**')
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
    await draft.getByRole('button', { name: 'Try again' }).click()
    await draft.getByText('just now').waitFor()
  })

  test('ends a session, and notices at once that its own has ended', async () => {
    await using browser = await openBrowser()
    const [here, there] = [await browser.visit(), await browser.visit()]
    for (const { page } of [here, there]) {
      await page.goto('/login?next=/console/account/sessions')
      await logIn(page, browser.product.demo.users.viewer)
      await page.getByText('This one').waitFor()
    }
    await there.page.getByRole('button', { name: 'End session' }).first().click()
    await there.page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await there.page.getByText('The session has ended.').waitFor()
    await here.page.getByRole('link', { name: 'Applications', exact: true }).click()
    await here.page.getByRole('link', { name: 'Log in' }).waitFor()
  })

  test('changes a password, and asks for the new one', async () => {
    await using browser = await openBrowser()
    const { page } = await browser.visit()
    const { outsider } = browser.product.demo.users
    await page.goto('/login?next=/console/account/sign-in')
    await logIn(page, outsider)
    const password = 'another long password'
    const section = page.getByRole('region', { name: 'Password' })
    await section.getByLabel('Current password').fill('not the password')
    await section.getByLabel('New password').fill(password)
    await section.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
    await section.getByText('It is not your password.').waitFor()
    await section.getByLabel('Current password').fill(outsider.password)
    await section.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
    await page.waitForURL(/\/login/)
    await logIn(page, { username: 'outsider', password })
    await page.getByRole('heading', { name: 'Sign-in' }).waitFor()
  })

  test('names what is wrong with a credential', async () => {
    await using browser = await openBrowser()
    const { page } = await browser.visit()
    const { users, api_key } = browser.product.demo
    await page.goto('/login?next=/console/developer/doctor')
    await logIn(page, users.streamer)
    await page.getByLabel('Credential').fill(api_key)
    await page.getByRole('button', { name: 'Examine' }).click()
    await page.getByText('It works').waitFor()
    await page.getByLabel('Credential').fill('lsk_nonsense')
    await page.getByRole('button', { name: 'Examine' }).click()
    await page.getByText('None of your account').waitFor()
  })
})
