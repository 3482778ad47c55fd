import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { findChromium, placesOfChromium } from '../../support/chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser is; undefined where there is none. */
    chromium: string | undefined
  }
}

const NONE = `The browser tests are skipped: there is no Chromium at ${placesOfChromium.join(', ')} or CHROMIUM_PATH.\n`

/** Finds the browser and builds the product, once for the run. Without a browser nothing is built. */
export function setup(project: TestProject): void {
  const chromium = findChromium()
  project.provide('chromium', chromium)
  if (chromium === undefined) process.stdout.write(NONE)
  else build()
}

/** As `npm start` does first. */
function build() {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
