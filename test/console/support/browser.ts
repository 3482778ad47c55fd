import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import type { Product } from './product.ts'

export type Visitor = { page: Page; faults: string[] }

/** What the run has started; undefined where there is no browser. */
export const product = inject('product')

/** The product and a browser that looks at it. To be asked for inside of tests alone, which are skipped without one. */
export async function openBrowser() {
  if (!product) throw new Error('There is no browser')
  const browser = await chromium.launch({ executablePath: product.chromium, args: ['--no-sandbox'] })
  return {
    product,
    visit: (options?: BrowserContextOptions) => visit(browser, product, options),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** A person with a browser of their own. What a page complains about, or its policy refuses, is kept as a fault. */
async function visit(browser: Browser, { base }: Product, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 860 }, ...options })
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
