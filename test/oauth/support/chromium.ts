import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']
const executablePath = places.find((path) => existsSync(path))

/** Whether there is a browser to test with; where there is none, its tests are skipped. */
export const hasChromium = executablePath !== undefined
if (!hasChromium) process.stdout.write(`The login pages are not tried in a browser: none at ${places.join(', ')}.\n`)

/** A browser of one's own for each person; what a page complains about, or its policy refuses, is kept as a fault. */
export async function launchChromium() {
  if (executablePath === undefined) throw new Error('There is no browser')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  return {
    async visit(): Promise<{ page: Page; faults: string[] }> {
      const page = await (await browser.newContext()).newPage()
      page.setDefaultTimeout(15_000)
      const faults: string[] = []
      page.on('pageerror', ({ message }) => faults.push(message))
      page.on('console', (message) => {
        const text = message.text()
        if (message.type() === 'error' && !text.startsWith('Failed to load resource')) faults.push(text)
      })
      return { page, faults }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}
