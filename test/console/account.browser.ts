import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser, type Visitor } from './support/browser.ts'

describe.skipIf(!hasBrowser)('whoever looks after their account', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let visitor: Visitor
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    visitor = await browser.visit({ acceptDownloads: true })
    await visitor.page.goto('/login?next=/console/account')
    await logIn(visitor.page, browser.product.demo.users.streamer)
    await visitor.page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  test('switches notices off and finds them so again', async () => {
    const { page } = visitor
    await page.getByRole('link', { name: 'Notifications', exact: true }).click()
    const webhooks = page.getByRole('switch', { name: 'Webhooks that fail' })
    expect(await webhooks.isChecked()).toBe(true)
    await webhooks.click()
    await page.getByText('Saved.').waitFor()
    await page.reload()
    await webhooks.waitFor()
    expect(await webhooks.isChecked()).toBe(false)
    expect(await page.getByRole('switch', { name: 'API keys that end' }).isChecked()).toBe(true)
  })

  test('takes their data along as a file', async () => {
    const { page } = visitor
    await page.goto('/console/account')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export my data' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('streamer.json')
    const data = JSON.parse(readFileSync(await download.path(), 'utf8'))
    expect(data.account).toMatchObject({ username: 'streamer', switched_off_mails: ['webhook_notices'] })
    expect(data.applications).toHaveLength(3)
  })

  test('deletes the account by typing its name, sees what that means, and is told the day at the next login', async () => {
    const { page, faults } = visitor
    await page.getByRole('link', { name: 'Delete account', exact: true }).click()
    await page.getByText(/Your application .*Demo desktop application.* stops/).waitFor()
    const name = page.getByLabel('Your username')
    await name.fill('viewer')
    await page.getByRole('main').getByRole('button', { name: 'Delete account' }).click()
    await page.getByText('Type "streamer" to delete your account.').waitFor()
    await name.fill('streamer')
    await page.getByRole('main').getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/closed')

    await page.goto('/login')
    await logIn(page, browser.product.demo.users.streamer)
    await page
      .getByRole('alert')
      .filter({ hasText: /This account was deleted\. On \d{4}-\d\d-\d\d/ })
      .waitFor()
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })
})
