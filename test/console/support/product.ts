import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { DemoCredentials } from '../../../src/domain/demo/credentials.ts'
import { startService, temporaryFolder } from '../../support/process.ts'

/** The product as a newcomer starts it, and the browser to look at it with. */
export type Product = { base: string; demo: DemoCredentials; chromium: string }

declare module 'vitest' {
  interface ProvidedContext {
    product: Product | undefined
  }
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']
const NONE = `The browser tests are skipped: there is no Chromium at ${places.join(', ')} or CHROMIUM_PATH.\n`

let stop = async () => {}

/** One service for the run, on an embedded database with demo data. Without a browser nothing is started. */
export async function setup(project: TestProject): Promise<void> {
  const chromium = [process.env.CHROMIUM_PATH ?? '', ...places].find((path) => existsSync(path))
  project.provide('product', chromium === undefined ? undefined : await start(chromium))
  if (chromium === undefined) process.stdout.write(NONE)
}

async function start(chromium: string): Promise<Product> {
  build()
  const data = temporaryFolder()
  const service = await startService({ DATA_DIR: data.path, LOG_LEVEL: 'error' })
  stop = async () => {
    await service.stop()
    data[Symbol.dispose]()
  }
  if (!service.isReady) throw new Error(service.output.text.stderr)
  return { base: service.base, demo: JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8')), chromium }
}

/** As `npm start` does first. */
function build() {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

export const teardown = () => stop()
