import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { DatabaseTarget } from '../db/client.ts'
import type { DemoCredentials } from '../domain/demo/credentials.ts'
import { prepareDemo } from '../domain/demo/prepare.ts'
import { type ContextConfig, openContext } from './context.ts'
import { prepareDataDir } from './data-dir.ts'
import { demoFileIn, readDemo } from './demo-file.ts'
import { Disposables } from './disposables.ts'

/** Writes the demo data to the database and its credentials to `DATA_DIR/demo.json` (mode 0600), atomically. */
export async function writeDemo(config: ContextConfig, target: DatabaseTarget): Promise<DemoCredentials> {
  await using disposables = new Disposables()
  const ctx = await openContext(config, { target, disposables, wake: () => {} })
  const file = demoFileIn(config.dataDir)
  const credentials = await prepareDemo(ctx, readDemo(file))
  prepareDataDir(config.dataDir)
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' }) // follows no link
  renameSync(temporary, file)
  return credentials
}
