import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { DatabaseTarget } from '../db/client.ts'
import type { Context } from '../domain/core/context.ts'
import { DemoCredentials } from '../domain/demo/credentials.ts'
import { prepareDemo } from '../domain/demo/prepare.ts'
import { openContext } from './context.ts'
import { prepareDataDir } from './data-dir.ts'
import { Disposables } from './disposables.ts'
import type { Lifecycle } from './lifecycle.ts'
import { openStorage } from './storage.ts'
import { waitForDatabase } from './wait-for-database.ts'

export const demoFileIn = (dataDir: string) => join(dataDir, 'demo.json')

/** The database, and in it the demonstration if the configuration wants that, before anybody is served. */
export async function prepareStorage(config: Config, life: Lifecycle) {
  const target = await openStorage(config, life)
  if (!config.hasDemoData) return { target, demo: undefined }
  return { target, demo: await waitForDatabase(target, life.stopping, () => writeDemoTo(target, config)) }
}

async function writeDemoTo(target: DatabaseTarget, config: Config): Promise<DemoCredentials> {
  await using opened = new Disposables()
  return await writeDemo(await openContext(config, { target, opened, wake: () => {} }), config.dataDir)
}

/** Prepares the demonstration and writes its credentials to `DATA_DIR/demo.json` (mode 0600), whole or not at all. */
async function writeDemo(ctx: Context, dataDir: string): Promise<DemoCredentials> {
  const file = demoFileIn(dataDir)
  const credentials = await prepareDemo(ctx, read(file))
  prepareDataDir(dataDir)
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  renameSync(aside, file)
  return credentials
}

/** What an earlier start left; undefined when there is none, or what somebody made of it. */
function read(file: string): DemoCredentials | undefined {
  try {
    return DemoCredentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
