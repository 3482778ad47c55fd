import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser is; undefined where there is none. */
    chromium: string | undefined
  }
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']
const NONE = `The browser tests are skipped: there is no Chromium at ${places.join(', ')} or CHROMIUM_PATH.\n`

/** Finds the browser and builds the product, once for the run. Without a browser nothing is built. */
export function setup(project: TestProject): void {
  const chromium = [process.env.CHROMIUM_PATH ?? '', ...places].find((path) => existsSync(path))
  project.provide('chromium', chromium)
  if (chromium === undefined) process.stdout.write(NONE)
  else build()
}

/** As `npm start` does first. */
function build() {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
