import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsOf, open, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, openBrowser, type Visitor } from './support/browser.ts'
import { callsOf } from './support/calls.ts'
import { mailedLink } from './support/mailed.ts'

const NARROW = 390
const LINK = '/console/invitations?token='

describe.skipIf(!hasBrowser).each([1280, NARROW])('the people of an application at %d px', (width) => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let owner: Visitor
  let guest: Visitor
  let address: string
  const name = `Shared at ${width}`
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    const size = { viewport: { width, height: 844 } }
    ;[owner, guest] = [await browser.visit(size), await browser.visit(size)]
    await owner.page.goto('/login?next=/console/developer')
    await logIn(owner.page, browser.product.demo.users.streamer)
    await owner.page.getByRole('heading', { name: 'Overview' }).waitFor()
    const calls = await callsOf(owner.page, browser.product.base)
    const { id } = await calls.applications.create.mutate({ name, confidential: true })
    await calls.webhooks.create.mutate({
      application_id: id,
      url: 'http://127.0.0.1:9/hook',
      event_types: ['chat.message.sent'],
    })
    address = `/console/developer/applications/${id}`
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  const press = (page: Page, words: string) => page.getByRole('button', { name: words, exact: true }).click()
  const tabs = (page: Page) => page.getByRole('tab').allTextContents()
  /** The link in the mail that somebody gets. */
  const invite = ({ page }: Visitor, to: string, role: string) =>
    mailedLink(browser.product.mail, { address: to, path: LINK }, async () => {
      await open(page, `${address}/people`)
      await press(page, 'Invite somebody')
      const dialog = page.getByRole('dialog', { name: 'Invite somebody' })
      await dialog.getByLabel('Email').fill(to)
      await dialog.getByLabel('Role').selectOption(role)
      await dialog.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByRole('heading', { name: 'Open invitations' }).waitFor()
    })

  test('whoever is invited gets a link, logs in, looks, and belongs to it once they press the button', async () => {
    const link = await invite(owner, 'viewer@demo.example', 'Viewer')
    await guest.page.goto(link)
    await guest.page.getByText('Log in to see the page that you have asked for.').waitFor()
    await guest.page.getByRole('link', { name: 'Log in' }).first().click()
    await logIn(guest.page, browser.product.demo.users.viewer)
    await guest.page.getByRole('heading', { name }).waitFor()
    await guest.page.reload()
    await guest.page.getByText('streamer invites you as viewer').waitFor()
    await pictureOf(guest.page, `invitation-${width}`)
    await press(guest.page, 'Accept')
    await guest.page.getByText('viewer (you)').waitFor()
    expect(new URL(guest.page.url()).pathname).toBe(`${address}/people`)
    await open(guest.page, link)
    await guest.page.getByText('This invitation does not work any more').waitFor()
  })

  test('a viewer is shown what there is, and offered nothing that they may not', async () => {
    await open(guest.page, '/console/developer/applications')
    await guest.page.getByRole('heading', { name: 'Shared with you' }).waitFor()
    await guest.page.getByText('Viewer · Confidential').first().waitFor()
    await open(guest.page, address)
    expect(await tabs(guest.page)).toEqual([
      'Credentials',
      'Webhooks',
      'Usage',
      'Request log',
      'People',
      'Security log',
      'Settings',
    ])
    const offered = async (path: string) => {
      await open(guest.page, path)
      return guest.page.locator('#main').getByRole('button').allTextContents()
    }
    const acts = /secret|key|create|save|delete|enable|disable|send|rotate|invite|offer|take/i
    const paths = ['', '/webhooks', '/people', '/settings'].map((part) => address + part)
    for (const path of paths)
      expect(
        (await offered(path)).filter((one) => acts.test(one)),
        path,
      ).toEqual([])
    await guest.page.goto(`${address}/webhooks`)
    await guest.page.getByRole('link', { name: 'http://127.0.0.1:9/hook' }).click()
    await guest.page.getByRole('heading', { name: 'Signing secrets' }).waitFor()
    for (const words of ['Send test', 'Rotate secret', 'Delete', 'Disable'])
      expect(await guest.page.getByRole('button', { name: words }).count(), words).toBe(0)
  })

  test('the owner gives another role, and the other one has what belongs to it', async () => {
    await open(owner.page, `${address}/people`)
    await owner.page.getByLabel('Role of viewer').selectOption('Developer')
    await owner.page.getByText('viewer has another role now.').first().waitFor()
    await open(guest.page, address)
    expect(await tabs(guest.page)).toContain('API keys')
    await guest.page.getByRole('button', { name: 'Rotate secret' }).waitFor()
    await open(guest.page, `${address}/settings`)
    await guest.page.getByRole('button', { name: 'Save' }).waitFor()
    expect(await guest.page.getByRole('button', { name: 'Delete application' }).count()).toBe(0)
  })

  test('an application is offered, taken over, and left', async () => {
    await open(owner.page, `${address}/people`)
    await owner.page.getByLabel('New owner', { exact: true }).selectOption('viewer')
    await press(owner.page, 'Offer the application')
    await owner.page.getByText('To take it over').waitFor()
    await open(guest.page, `${address}/people`)
    await guest.page.getByText('This application is offered to you').waitFor()
    await pictureOf(guest.page, `offered-${width}`)
    expect(await faultsOf(guest.page)).toEqual([])
    await guest.page.setViewportSize({ width, height: 844 })
    await press(guest.page, 'Take it over')
    await guest.page.getByRole('button', { name: 'Invite somebody' }).waitFor()
    await pictureOf(guest.page, `people-${width}`)
    await open(owner.page, `${address}/people`)
    await press(owner.page, 'Leave')
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await owner.page.getByText(`You have left ${name}.`).first().waitFor()
    expect(await owner.page.getByRole('link', { name, exact: true }).count()).toBe(0)
  })

  test('an invitation for somebody else says so, and has no button; nobody is hindered on it', async () => {
    const link = await invite(guest, 'outsider@demo.example', 'Developer')
    await open(owner.page, link)
    await owner.page.getByText('It is for another account').waitFor()
    expect(await owner.page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
    expect(await faultsOf(owner.page)).toEqual([])
    await owner.page.setViewportSize({ width, height: 844 })
    await open(guest.page, `${address}/people`)
    await press(guest.page, 'Take back the invitation of outsider@demo.example')
    await guest.page.getByText('The invitation is taken back.').first().waitFor()
    expect([...owner.faults, ...guest.faults]).toEqual([])
  })
})
