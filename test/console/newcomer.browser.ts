import { describe, expect, test } from 'vitest'
import { startReceiver, verifyReceived } from '../support/receiver.ts'
import { hasBrowser, openBrowser } from './support/browser.ts'

describe.skipIf(!hasBrowser)('a newcomer', () => {
  test('signs up, makes an application, a key and a subscription, and watches deliveries arrive', async () => {
    await using browser = await openBrowser()
    const markup = '<img src="/nowhere" onerror="document.title = 1">\u001b[31m'
    await using receiver = await startReceiver(() => ({ status: 200, body: markup }))
    const { page, faults } = await browser.visit()

    await page.goto('/console/developer/applications/new')
    await page.getByRole('link', { name: 'Sign up' }).click()
    await page.getByLabel('Username').fill('newcomer')
    await page.getByLabel('Email').fill('newcomer@example.com')
    await page.getByLabel('Password').fill('a good long password')
    await page.getByRole('button', { name: 'Sign up' }).click()

    await page.getByRole('heading', { name: 'Create an application' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('My first bot')
    for (const scope of ['channel:read', 'webhook:write']) await page.getByLabel(scope).check()
    await page.getByRole('button', { name: 'Create application' }).click()
    expect(await page.getByTestId('secret').textContent()).toMatch(/^lscs_/)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('heading', { name: 'My first bot' }).waitFor()

    await page.getByRole('tab', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Laptop')
    await dialog.getByLabel('channel:read').check()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.getByTestId('secret').textContent()) ?? ''
    await page.getByRole('button', { name: 'I have kept it' }).click()
    const answer = await fetch(`${browser.product.base}/v1/channels/newcomer`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await answer.json()).toMatchObject({ data: { username: 'newcomer' } })

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name: 'Create subscription' }).first().click()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('chat.message.sent').check()
    await page.getByRole('button', { name: 'Create subscription' }).click()
    const secret = (await page.getByTestId('secret').textContent()) ?? ''
    await page.getByRole('button', { name: 'I have kept it' }).click()

    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('200 Delivered').waitFor()
    const [probe] = await receiver.received(1)
    if (!probe) throw new Error('Nothing was received')
    verifyReceived(probe, secret)

    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    const sent = await fetch(`${browser.product.base}/v1/chat/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${browser.product.demo.users.viewer.access_token}` },
      body: new URLSearchParams({ room_name: 'newcomer', content: 'Hello' }),
    })
    expect(sent.status).toBe(201)
    const row = page.getByRole('row', { name: /chat\.message\.sent.*Delivered/ })
    await row.waitFor()

    await row.getByRole('link').click()
    await page.getByText('Attempt 1').waitFor()
    const answer1 = page.getByRole('figure', { name: 'Answer to attempt 1' })
    expect(await answer1.locator('pre').last().textContent(), 'what a receiver answers is text').toBe(markup)
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('Attempt 2').waitFor()
    const [, first, second] = await receiver.received(3)
    expect([first?.headers['webhook-id'], first?.event.data]).toEqual([
      second?.headers['webhook-id'],
      second?.event.data,
    ])
    expect(faults).toEqual([])
  })
})
