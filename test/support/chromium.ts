import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

export type Visitor = { page: Page; faults: string[] }

export const placesOfChromium = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
]

/** Where the browser is; undefined where there is none. */
export const findChromium = () =>
  [process.env.CHROMIUM_PATH ?? '', ...placesOfChromium].find((path) => existsSync(path))

export async function launchChromium(executablePath: string, args: readonly string[] = []) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] })
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

/** Logs in on the page that is shown to somebody who has to, and comes back. */
export async function logIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}
