import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** The script that looks for barriers, for pages that `open` does not lead to. */
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const run = `axe.run({ resultTypes: ['violations'] })`
/**
 * What moves for ever, as the outline of something that loads does, is not waited for; and nothing for longer than it takes by its
 * own account: an animation of a page that is not drawn never says that it has ended. What a change begins has begun two frames
 * later.
 */
const isStill = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations()
  .map(({ effect, playState, finished }) => ({ ms: effect.getComputedTiming().endTime, playState, finished }))
  .filter(({ ms, playState }) => playState === 'running' && ms !== Infinity)
  .map(({ ms, finished }) => Promise.race([finished, new Promise((resolve) => setTimeout(resolve, ms + 1_000))]))))`
const isWide = 'document.documentElement.scrollWidth > window.innerWidth'

/** Loaded, with what it asked the service for. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').first().waitFor()
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  await page.evaluate(axe)
}

/** Keeps a picture of a page in both colour schemes, in the folder that `PICTURES` names; without it does nothing. */
export async function pictureOf(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (!folder) return
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate('scrollTo(0, 0)')
    await page.evaluate(isStill)
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: true })
  }
}

/** In light and dark, narrow and wide: what hinders people (impact serious or critical), and what is wider than its window. */
export async function faultsOf(page: Page, widths = [360, 1280]): Promise<string[]> {
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(isStill)
      const { violations }: AxeResults = await page.evaluate(run)
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`)
      if (await page.evaluate(isWide)) found.push('wider than its window')
      faults.push(...found.map((fault) => `${colorScheme}, ${width} px: ${fault}`))
    }
  }
  return faults
}
