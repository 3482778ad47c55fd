import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase } from '../../support/database.ts'
import { createDatabaseProxy, urlOf } from '../../support/database-proxy.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startService } from '../../support/process.ts'
import { launchChromium, type Product } from './browser.ts'

/** A browser, and the product on a database that the test reaches too: what takes days can have happened days ago. */
export async function openDatedBrowser(given: Record<string, string> = {}) {
  const data = temporaryFolder()
  const database = await createTestDatabase()
  const proxy = await createDatabaseProxy(database.target)
  const service = await startService({
    DATABASE_URL: urlOf(proxy.target),
    SECRET_KEYS: 'k'.repeat(32),
    DATA_DIR: data.path,
    DEMO_DATA: 'on',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    LOG_LEVEL: 'error',
    ...given,
  })
  if (!service.isReady) throw new Error(service.output.text.stderr)
  const demo = JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8'))
  const product: Product = { base: service.base, demo, mail: join(data.path, 'mail') }
  const chromium = await launchChromium()
  return {
    product,
    db: database.db,
    visit: (options = {}) => chromium.visit({ baseURL: product.base, ...options }),
    [Symbol.asyncDispose]: async () => {
      await chromium[Symbol.asyncDispose]()
      await service.stop()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      data[Symbol.dispose]()
    },
  }
}
