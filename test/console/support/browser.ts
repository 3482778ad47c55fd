import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import type { DemoCredentials } from '../../../src/domain/demo/credentials.ts'
import { launchChromium as launch } from '../../support/chromium.ts'
import { folderWithCluster, startService } from '../../support/process.ts'

export { logIn, type Visitor } from '../../support/chromium.ts'

/** The product as a newcomer starts it: an embedded database with demo data. */
export type Product = {
  base: string
  demo: DemoCredentials
  /** The folder in which mails lie. */
  mail: string
}

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

/** `args`: of Chromium, beside those that it always gets. */
export async function launchChromium(args: readonly string[] = []) {
  if (executablePath === undefined) throw new Error('There is no browser')
  return launch(executablePath, args)
}
