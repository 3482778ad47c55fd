import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginSessions, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { run } from '../support/process.ts'
import { type Receiver, startReceiver, verifyReceived } from '../support/receiver.ts'
import { axe, faultsOf, pictureOf } from './support/barriers.ts'
import { hasBrowser, logIn, type Visitor } from './support/browser.ts'
import { callsOf, makeApplication, type OwnCalls } from './support/calls.ts'
import { openDatedBrowser } from './support/dated-product.ts'

const NARROW = 390
const people = [
  { width: 1280, who: 'viewer' },
  { width: NARROW, who: 'outsider' },
] as const

describe.skipIf(!hasBrowser)('webhooks', () => {
  let browser: Awaited<ReturnType<typeof openDatedBrowser>>
  let receiver: Receiver
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openDatedBrowser()
    receiver = await startReceiver(({ path }) =>
      path.includes('broken')
        ? { status: 500, headers: { 'x-trace': 'trace-of-the-receiver' }, body: 'broken pipe' }
        : { status: 200, headers: { 'x-trace': 'trace-of-the-receiver' }, body: 'thank you' },
    )
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  describe.each(people)('at $width px', ({ width, who }) => {
    let visitor: Visitor
    let page: Page
    let calls: OwnCalls
    let application_id = ''
    beforeAll(async () => {
      if (!hasBrowser) return
      const permissions = ['clipboard-read', 'clipboard-write']
      visitor = await browser.visit({ viewport: { width, height: 844 }, permissions })
      page = visitor.page
      await page.goto('/login?next=/console/developer')
      await logIn(page, browser.product.demo.users[who])
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      calls = await callsOf(page, browser.product.base)
      application_id = (await makeApplication(calls, `Hooks ${width}`)).id
    })
    const subscribe = (name: string, event_types = ['chat.message.sent']) =>
      calls.webhooks.create.mutate({
        application_id,
        url: `${receiver.url}/${name}-${width}`,
        event_types,
        description: null,
      })
    /** Says something in the streamer's room; returns its identifier. */
    const say = async (content: string) => {
      const response = await fetch(`${browser.product.base}/v1/chat/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${browser.product.demo.users.streamer.access_token}` },
        body: new URLSearchParams({ room_name: 'streamer', content }),
      })
      return ((await response.json()) as { data: { id: string } }).data.id
    }
    const receivedAt = (name: string) => receiver.requests.filter(({ path }) => path.endsWith(`${name}-${width}`))
    const unfold = async () => {
      if (width === NARROW) await page.getByRole('button', { name: /^Filters/ }).click()
    }
    const rows = () => page.getByRole('region', { name: 'Ledger' }).locator('tbody tr')

    test('are edited: what was changed is sent, by whoever has just confirmed who they are, and the secret stays', async () => {
      const { id, signing_secret } = await subscribe('before')
      await page.goto(`/console/developer/webhooks/${id}`)
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'URL' }).fill('ftp://nowhere')
      await page.keyboard.press('Tab')
      await page.getByText('It must begin with https://.').waitFor()
      await page.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/after-${width}`)
      await browser.db.update(loginSessions).set({ authenticatedAt: new Date(Date.now() - 3_600_000) })
      await calls.webhooks.update.mutate({ id, description: 'By somebody else' })
      const [sent] = await Promise.all([
        page.waitForRequest(/webhooks\.update/),
        page.getByRole('button', { name: 'Save changes' }).click(),
      ])
      expect(JSON.stringify(sent.postDataJSON())).toContain(`/after-${width}`)
      expect(JSON.stringify(sent.postDataJSON())).not.toMatch(/event_types|description/)
      const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
      await question.getByLabel('Password').fill(browser.product.demo.users[who].password)
      await question.getByRole('button', { name: 'Confirm' }).click()
      await page.getByText('The subscription is changed.').waitFor()
      await page.getByRole('heading', { name: `/after-${width}` }).waitFor()
      await page.getByText('By somebody else').first().waitFor()
      await say(`Edited at ${width}`)
      await expect.poll(() => receivedAt('after').length).toBe(1)
      for (const one of receivedAt('after')) verifyReceived(one, signing_secret)
      expect(receivedAt('before')).toEqual([])
    })

    test('of one application have a tab of their own, with their state and their deliveries', async () => {
      await subscribe('broken')
      await subscribe('fine')
      const { id } = await subscribe('stopped')
      await calls.webhooks.disable.mutate({ id })
      await say(`First at ${width}`)
      await expect.poll(() => receivedAt('broken').length).toBeGreaterThan(0)
      await page.goto(`/console/developer/applications/${application_id}`)
      await page.getByRole('tab', { name: 'Webhooks' }).click()
      const row = (name: string) => page.getByRole('listitem').filter({ hasText: `/${name}-${width}` })
      await row('broken').getByText('Failing').waitFor()
      await row('fine').getByText('Enabled').waitFor()
      await row('stopped').getByText('Disabled').waitFor()
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
      await page.getByRole('link', { name: 'All deliveries' }).click()
      await rows().first().waitFor()
      expect(new URL(page.url()).searchParams.get('application')).toBe(application_id)
      const failed = rows().filter({ hasText: `/broken-${width}` })
      await failed.getByText('Retrying').waitFor()
      expect(await failed.textContent()).toMatch(/500 · Next attempt (in \d+ \w+|due now)/)
      await rows()
        .filter({ hasText: `/fine-${width}` })
        .getByText('Delivered')
        .waitFor()
      await pictureOf(page, `ledger-${width}`)
    })

    test('have a ledger over all, filtered by event, message, status, time and text', async () => {
      const message = await say(`Find the needle ${width}`)
      await say(`Something else ${width}`)
      const ofMessage = async () => (await calls.deliveries.list.query({ application_id, message })).items
      await expect
        .poll(async () => (await ofMessage()).map(({ last_status }) => last_status).toSorted())
        .toEqual([200, 200, 500])
      const [one] = await ofMessage()
      const address = `/console/developer/deliveries?application=${application_id}`
      await page.goto(address)
      await rows().nth(5).waitFor()
      await unfold()
      const field = page.getByLabel('Event or message')
      await field.fill(message)
      await expect.poll(() => rows().count()).toBe(3)
      await page.getByLabel('Status').selectOption('5xx: its failure')
      await expect.poll(() => rows().count()).toBe(1)
      await page.getByLabel('Status').selectOption('')
      await field.fill(one?.event_id ?? '')
      await expect.poll(() => rows().count()).toBe(3)
      await field.fill('')
      await page.getByLabel('Text').fill(`the needle ${width}`)
      await expect.poll(() => rows().count()).toBe(3)
      await page.reload()
      await expect.poll(() => rows().count()).toBe(3)
      await page.goto(`${address}&text=broken+pipe&outcome=pending`)
      await rows().first().waitFor()
      for (const text of await rows().allTextContents()) expect(text).toContain(`/broken-${width}`)
      await page.goto(`${address}&to=${new Date(Date.now() - 3_600_000).toISOString()}`)
      await page.getByText('No delivery fits the filters.').waitFor()
      await page.goto(`${address}&from=${new Date(Date.now() - 3_600_000).toISOString()}&type=channel.updated`)
      await page.getByText('No delivery fits the filters.').waitFor()
    })

    test('hear of the moderation of one’s own channel', async () => {
      await page.goto(`/console/developer/webhooks/new?application=${application_id}`)
      await page.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/moderation-${width}`)
      expect(await page.getByLabel('moderation.ban.created').count()).toBe(0)
      await page.getByLabel('Events of').selectOption('own')
      await page.getByLabel('moderation.ban.created').check()
      await page.getByRole('button', { name: 'Create subscription' }).click()
      await page.getByRole('button', { name: 'I have kept it' }).click()
      await page.getByText('moderation.ban.created').first().waitFor()
      await calls.moderation.ban.mutate({ user_id: browser.product.demo.users.streamer.id })
      await expect
        .poll(() => receivedAt('moderation').map(({ event }) => event.type))
        .toEqual(['moderation.ban.created'])
      await calls.moderation.unban.mutate({ user_id: browser.product.demo.users.streamer.id })
      await page.getByRole('region', { name: 'Newest deliveries' }).getByText('moderation.ban.created').waitFor()
    })

    test('show a delivery as it was sent, with headers, as a command, and what was answered with its headers', async () => {
      await page.goto(`/console/developer/deliveries?application=${application_id}&outcome=delivered&text=needle`)
      await rows().first().getByRole('link').click()
      const head = await page.getByRole('figure', { name: 'Head of the request' }).textContent()
      for (const name of ['webhook-id: evt_', 'webhook-timestamp: ', 'webhook-signature: v1,', 'user-agent: '])
        expect(head).toContain(name)
      await page.getByRole('figure', { name: 'Headers of the answer to attempt 1' }).getByText('x-trace').waitFor()
      await page.getByRole('figure', { name: 'Answer to attempt 1', exact: true }).getByText('thank you').waitFor()
      await page.getByRole('button', { name: 'Copy as curl' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const command = await page.evaluate<string>('navigator.clipboard.readText()')
      const before = receiver.requests.length
      expect(await run('/bin/sh', ['-c', command])).toMatchObject({ status: 0, stdout: 'thank you' })
      const [again] = receiver.requests.slice(before)
      expect(again?.headers['webhook-signature']).toBe(/webhook-signature: (.*)/.exec(head ?? '')?.[1])
      expect(again?.event.data.content).toBe(`Find the needle ${width}`)
      await pictureOf(page, `delivery-${width}`)
      await page.evaluate(axe)
      expect(await faultsOf(page, [width])).toEqual([])
    })

    test('are told apart also when there are more than a hundred', async () => {
      const at = new Date()
      const many = Array.from({ length: 110 }, (_, n) => ({
        ...{
          id: newId('subscription', new Date(at.getTime() - 86_400_000 + n)),
          clientId: application_id,
          userId: null,
        },
        ...{ url: `http://127.0.0.1:9/${width}/${n}`, eventTypes: ['channel.updated'], createdAt: at, updatedAt: at },
      }))
      await browser.db.insert(webhookSubscriptions).values(many)
      await page.goto('/console/developer/webhooks')
      await page
        .getByRole('listitem')
        .filter({ hasText: `/${width}/99` })
        .waitFor()
      expect(await page.getByText(`/fine-${width}`).count()).toBe(0)
      await page.getByRole('button', { name: 'Show more' }).click()
      await page.getByText(`/fine-${width}`).first().waitFor()
      await page.goto(`/console/developer/deliveries?application=${application_id}`)
      await rows()
        .filter({ hasText: `/fine-${width}` })
        .first()
        .waitFor()
      const { items } = await calls.deliveries.list.query({ application_id, text: 'thank you' })
      const late = items.find(({ subscription_url }) => subscription_url.includes('/fine-'))?.subscription_id ?? ''
      await page.goto(`/console/developer/deliveries?subscription=${late}`)
      await page.getByRole('button', { name: 'Replay' }).waitFor()
      await unfold()
      const choice = page.getByLabel('Subscription')
      expect(await choice.inputValue()).toBe(late)
      expect(await choice.locator('option:checked').textContent()).toContain(`/fine-${width}`)
      await page.getByText('The oldest hundred; find others among the webhooks.').waitFor()
      const before = receivedAt('fine').length
      await page.getByLabel('What').selectOption('Everything')
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replay everything' }).click()
      await page.getByText('3 queued.').waitFor()
      await expect.poll(() => receivedAt('fine').length).toBe(before + 3)
      expect(visitor.faults).toEqual([])
    })
  })
})
