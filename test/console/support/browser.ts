import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, inject } from 'vitest'
import type { DemoCredentials } from '../../../src/domain/demo/credentials.ts'
import { folderWithCluster, startService } from '../../support/process.ts'

/** The product as a newcomer starts it: an embedded database with demo data. */
export type Product = {
  base: string
  demo: DemoCredentials
  /** The folder in which mails lie. */
  mail: string
}
export type Visitor = { page: Page; faults: string[] }

const executablePath = inject('chromium')
export const hasBrowser = executablePath !== undefined

let started: Promise<Product & { stop: () => Promise<void> }> | undefined
afterAll(async () => (await started)?.stop())

/** A service of this file's own, so that no file depends on what another has done. */
async function startProduct() {
  const data = folderWithCluster()
  const service = await startService({ DATA_DIR: data.path, LOG_LEVEL: 'error' })
  if (!service.isReady) throw new Error(service.output.text.stderr)
  const stop = async () => {
    await service.stop()
    data[Symbol.dispose]()
  }
  const demo = JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8'))
  return { base: service.base, demo, mail: join(data.path, 'mail'), stop }
}

/** The product and a browser that looks at it. */
export async function openBrowser() {
  started ??= startProduct()
  const product = await started
  const chromium = await launchChromium()
  return { ...chromium, product, visit: (options = {}) => chromium.visit({ baseURL: product.base, ...options }) }
}

export async function launchChromium() {
  if (executablePath === undefined) throw new Error('There is no browser')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  return {
    visit: (options?: BrowserContextOptions) => visit(browser, options),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** A person with a browser of their own. What a page complains about, or its policy refuses, is kept as a fault. */
async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    // being told 401 is how the console learns that nobody is signed in
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) faults.push(text)
  })
  return { page, faults }
}

/** Logs in on the page that the console leads to, and comes back. */
export async function logIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}
