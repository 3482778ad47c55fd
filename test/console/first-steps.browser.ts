import { describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser } from './support/browser.ts'

async function openAt(path: string) {
  const browser = await openBrowser()
  const visitor = await browser.visit()
  await visitor.page.goto(`/login?next=${encodeURIComponent(path)}`)
  await logIn(visitor.page, browser.product.demo.users.streamer)
  return { ...visitor, [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose]() }
}

describe.skipIf(!hasBrowser)('who begins', () => {
  test('makes an application for devices, and is told what it lacks for keys and for webhooks', async () => {
    await using visitor = await openAt('/console/developer/applications/new')
    const { page, faults } = visitor
    await page.getByRole('radio', { name: 'Public' }).check()
    await page.getByRole('textbox', { name: 'Name' }).fill('Television')
    await page.getByLabel('Device code').check()
    await page.getByLabel('user:read').check()
    await page.getByRole('button', { name: 'Create application' }).click()
    await page.getByRole('heading', { name: 'Television' }).waitFor()
    const own = new URL(page.url()).pathname

    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await page.getByLabel('Device code').isChecked()).toBe(true)
    expect(await page.getByLabel('Authorization code').isChecked()).toBe(false)

    await page.getByRole('tab', { name: 'API keys' }).click()
    await page.getByText('so a key could do nothing').waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)

    await page.goto('/console/developer/webhooks/new')
    await page.getByLabel('URL').waitFor()
    expect(await page.getByText('is not registered for the scope').count(), 'one that may is chosen first').toBe(0)
    await page.getByLabel('Application').selectOption({ label: 'Television' })
    await page.getByText(/“?Television”? is not registered for the scope webhook:write/).waitFor()
    await page.getByRole('link', { name: 'settings' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByLabel('webhook:write').waitFor()
    expect(new URL(page.url()).pathname).toBe(`${own}/settings`)
    expect(faults).toEqual([])
  })

  test('finds in the playground what was typed before another operation was chosen, and its answer in the log at the first look', async () => {
    await using visitor = await openAt('/console/developer/playground?operation=sendChatMessage')
    const { page, faults } = visitor
    const looks: number[] = []
    page.on('response', (response) => {
      if (response.url().includes('requests.explain')) looks.push(response.status())
    })
    const typed = JSON.stringify({ room_name: 'nobody-has-this-room', content: 'typed' })
    await page.getByLabel('Body').fill(typed)
    await page.getByLabel('Operation').selectOption('getChannel')
    await page.getByLabel('slug').waitFor()
    await page.getByLabel('Operation').selectOption('sendChatMessage')
    expect(await page.getByLabel('Body').inputValue()).toBe(typed)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/In the request log: .*unknown_room/).waitFor()
    expect(looks).toEqual([200])
    expect(faults).toEqual([])
  })

  test('finds the guides by Ctrl-K, and goes to the part', async () => {
    await using visitor = await openAt('/console/developer')
    const { page, faults } = visitor
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox', { name: 'Search' }).fill('verifying')
    await page.getByRole('option', { name: 'Webhooks: Verifying' }).click()
    await page.waitForURL('**/docs/guides/webhooks#verifying')
    expect(faults).toEqual([])
  })

  test('is told of a request id that nothing is kept of it, why, and what an identifier is like', async () => {
    await using visitor = await openAt('/console/developer/requests/lost')
    const { page, faults } = visitor
    const alert = page.getByRole('alert').filter({ hasText: 'Nothing is kept of it' })
    await alert.getByText(/gives UUIDs, such as .*missing or unknown \(401\).*does not exist \(404\)/).waitFor()
    expect(faults).toEqual([])
  })
})
