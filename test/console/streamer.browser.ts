import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, logIn, openBrowser, type Visitor } from './support/browser.ts'

describe.skipIf(!hasBrowser)('a streamer', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let visitor: Visitor
  beforeAll(async () => {
    if (!hasBrowser) return
    browser = await openBrowser()
    visitor = await browser.visit()
    await visitor.page.goto('/console/')
    await visitor.page.getByRole('link', { name: 'Log in' }).click()
    await logIn(visitor.page, browser.product.demo.users.streamer)
    await visitor.page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  /** What somebody says in the streamer's room, by the API. */
  const say = (who: 'viewer' | 'outsider', content: string) =>
    fetch(`${browser.product.base}/v1/chat/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${browser.product.demo.users[who].access_token}` },
      body: new URLSearchParams({ room_name: 'streamer', content }),
    })
  const confirm = (name: string) => visitor.page.getByRole('dialog').getByRole('button', { name }).click()

  test('ends the stream, goes live again with a title and a category, and changes them', async () => {
    const { page } = visitor
    await page.getByRole('link', { name: 'Live stream', exact: true }).click()
    await page.getByRole('button', { name: 'End stream' }).click()
    await confirm('End stream')
    await page.getByText('Offline', { exact: true }).waitFor()

    await page.getByLabel('Title').fill('A compiler in one evening')
    await page.getByLabel('Category').selectOption('Software')
    await page.getByRole('button', { name: 'Go live' }).click()
    await page.getByRole('heading', { name: 'A compiler in one evening' }).waitFor()
    await page.getByLabel('Title').fill('A compiler in two evenings')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'A compiler in two evenings' }).waitFor()
  })

  test('sees a message arrive, answers, deletes it and bans who wrote it, at one press each, and undoes that', async () => {
    const { page } = visitor
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    expect((await say('viewer', 'Is this thing on?')).status).toBe(201)
    const message = page.getByRole('listitem').filter({ hasText: 'Is this thing on?' })
    await message.waitFor()

    await page.getByLabel('Message', { exact: true }).fill('It is')
    await page.keyboard.press('Enter')
    await page.getByRole('listitem').filter({ hasText: 'It is' }).getByText('just now').waitFor()

    const undo = () => page.getByRole('button', { name: 'Undo' }).click()
    await message.getByRole('button', { name: 'Delete the message of viewer' }).click()
    await undo()
    await message.getByRole('button', { name: 'Ban viewer' }).click()
    await page.getByText('viewer is banned, and the message deleted.').waitFor()
    await undo()
    await page.getByText('viewer may write again.').waitFor()
    await message.waitFor()
    expect((await say('viewer', 'Thanks')).status).toBe(201)

    await message.getByRole('button', { name: 'Ban viewer' }).click()
    await message.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    expect(await (await say('viewer', 'And now?')).json()).toMatchObject({ error: { code: 'sender_banned' } })
    await page.reload()
    await page.getByText('Thanks', { exact: true }).waitFor()
    expect(await message.count()).toBe(0)
  })

  test('sees a message go that its author deletes', async () => {
    const { page } = visitor
    const sent = (await (await say('outsider', 'Never mind')).json()) as { data: { id: string } }
    const message = page.getByRole('listitem').filter({ hasText: 'Never mind' })
    await message.waitFor()
    await fetch(`${browser.product.base}/v1/chat/${sent.data.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${browser.product.demo.users.outsider.access_token}` },
    })
    await message.waitFor({ state: 'detached' })
  })

  test('lifts a ban, and bans by username', async () => {
    const { page } = visitor
    await page.getByRole('link', { name: 'Bans', exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'viewer' }).getByRole('button', { name: 'Unban' }).click()
    await page.getByText('Nobody is banned').waitFor()
    expect((await say('viewer', 'Thank you')).status).toBe(201)

    await page.getByLabel('Username').fill('nobody_at_all')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByText('There is nobody with this name.').waitFor()
    await page.getByLabel('Username').fill('Outsider')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'outsider' }).getByRole('button', { name: 'Unban' }).click()
    await page.getByText('Nobody is banned').waitFor()
  })

  test('takes the access of an application back', async () => {
    const { page } = visitor
    const { base, demo } = browser.product
    const me = () =>
      fetch(`${base}/v1/users/me`, { headers: { authorization: `Bearer ${demo.users.streamer.access_token}` } })
    expect((await me()).status).toBe(200)
    await page.getByRole('link', { name: 'Connected applications', exact: true }).click()
    await page.getByRole('button', { name: 'Revoke access' }).click()
    await confirm('Revoke access')
    await page.getByText('No application has access').waitFor()
    expect((await me()).status).toBe(401)
  })

  test('changes the profile', async () => {
    const { page } = visitor
    await page.getByRole('link', { name: 'Profile', exact: true }).click()
    await page.getByLabel('Image URL').fill('ftp://example.com/me.png')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('It must be an http or https URI, with all else percent-encoded.').waitFor()
    await page.getByLabel('Image URL').fill('')
    await page.getByLabel('Bio').fill('I build compilers in public.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your profile is saved.').waitFor()
  })

  test('finds no fault on any of these pages', () => {
    expect(visitor.faults).toEqual([])
  })
})
