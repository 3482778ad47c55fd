import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, type Service, startService } from '../support/process.ts'
import { hasBrowser, launchChromium, logIn } from './support/browser.ts'

/** A name that is not this machine's for the browser, so that its pages have no clipboard. */
const HOST = 'developer.test'

describe.skipIf(!hasBrowser).each([1280, 390])('on plain http, at %d px', (width) => {
  const data = folderWithCluster()
  let service: Service
  let browser: Awaited<ReturnType<typeof launchChromium>>
  let demo: DemoCredentials
  let page: Page
  let faults: string[]
  beforeAll(async () => {
    if (!hasBrowser) return
    const port = String(await freePort())
    const PUBLIC_URL = `http://${HOST}:${port}`
    const started = await startService({
      DATA_DIR: data.path,
      LOG_LEVEL: 'error',
      DEMO_DATA: 'on',
      PORT: port,
      PUBLIC_URL,
    })
    if (!started.isReady) throw new Error(started.output.text.stderr)
    service = started
    demo = JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8'))
    browser = await launchChromium([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`])
    ;({ page, faults } = await browser.visit({ baseURL: PUBLIC_URL, viewport: { width, height: 844 } }))
    await page.goto(`/login?next=/console/developer/applications/${demo.client.client_id}`)
    await logIn(page, demo.users.streamer)
    await page.getByRole('button', { name: 'Copy client identifier' }).waitFor()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await service?.stop()
    data[Symbol.dispose]()
  })
  /** What somebody gets who pastes, by the keyboard. */
  const pasted = async () => {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search' })
    await page.keyboard.press('Control+v')
    const text = await field.inputValue()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    return text
  }

  test('where a browser has no clipboard, a value is copied all the same', async () => {
    expect(await page.evaluate('[isSecureContext, typeof navigator.clipboard]')).toEqual([false, 'undefined'])
    await page.getByRole('button', { name: 'Copy client identifier' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await pasted()).toBe(demo.client.client_id)
  })

  test('also a secret in a dialog, which keeps the focus to itself, and code', async () => {
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    const secret = await page.getByTestId('secret').textContent()
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Copied' }).waitFor()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    expect(await pasted()).toBe(secret)
    await page.goto('/console/developer/events/chat.message.sent')
    await page.getByRole('button', { name: 'Copy Example of the payload' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await pasted()).toContain('chat.message.sent')
    expect(faults).toEqual([])
  })

  test('also the examples of the guides', async () => {
    await page.goto('/docs/guides/quick-start')
    const example = (await page.locator('main pre').first().textContent())?.trim() ?? ''
    await page.locator('main pre').first().hover()
    await page
      .getByRole('button', { name: /^Copy: / })
      .first()
      .click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.goto('/console/developer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const [line = ''] = example.split('\n')
    expect((await pasted()).startsWith(line.slice(0, 40))).toBe(true)
  })
})
