import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, startService } from '../support/process.ts'
import { hasBrowser, launchChromium, logIn } from './support/browser.ts'

test.skipIf(!hasBrowser)(
  'a restart of the service is said, loses nothing that was typed, and sends nothing later',
  async () => {
    using data = folderWithCluster()
    const port = String(await freePort())
    const start = async () => {
      const started = await startService({ DATA_DIR: data.path, LOG_LEVEL: 'error', PORT: port })
      if (!started.isReady) throw new Error(started.output.text.stderr)
      return started
    }
    let service = await start()
    const demo: DemoCredentials = JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8'))
    await using browser = await launchChromium()
    const people = [
      { width: 1280, who: 'streamer' },
      { width: 390, who: 'viewer' },
    ] as const
    const pages = await Promise.all(
      people.map(async ({ width, who }) => {
        const { page } = await browser.visit({ baseURL: service.base, viewport: { width, height: 844 } })
        await page.goto('/login?next=/console/account')
        await logIn(page, demo.users[who])
        await page.getByLabel('Bio').fill(`Typed at ${width} before the restart`)
        return { page, who, typed: `Typed at ${width} before the restart` }
      }),
    )
    const bioOf = async (who: string) => {
      const response = await fetch(`${service.base}/v1/channels/${who}`, {
        headers: { authorization: `Bearer ${demo.api_key}` },
      })
      return ((await response.json()) as { data: { bio: string | null } }).data.bio
    }
    try {
      await service.stop()
      for (const { page } of pages) {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Whether this was done is not known').waitFor()
        await page.getByText('The service does not answer. Reconnecting…').waitFor()
      }
      service = await start()
      for (const { page, who, typed } of pages) {
        await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
        expect(await page.getByLabel('Bio').inputValue()).toBe(typed)
        expect(await bioOf(who)).not.toBe(typed)
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Your profile is saved.').waitFor()
        expect(await bioOf(who)).toBe(typed)
      }
    } finally {
      await service.stop()
    }
  },
)
