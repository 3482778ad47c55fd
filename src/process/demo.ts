import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { DemoCredentials } from '../domain/demo/credentials.ts'
import { prepareDemo } from '../domain/demo/prepare.ts'
import { type ContextConfig, openContext } from './context.ts'
import { prepareDataDir } from './data-dir.ts'
import { Disposables } from './disposables.ts'

export const demoFileIn = (dataDir: string) => join(dataDir, 'demo.json')

/** Writes the demo data to the database and its credentials to `DATA_DIR/demo.json` (mode 0600), atomically. */
export async function writeDemo(config: ContextConfig, target: DatabaseTarget): Promise<DemoCredentials> {
  await using disposables = new Disposables()
  const ctx = await openContext(config, { target, disposables, wake: () => {} })
  const file = demoFileIn(config.dataDir)
  const credentials = await prepareDemo(ctx, read(file))
  prepareDataDir(config.dataDir)
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' }) // follows no link
  renameSync(temporary, file)
  return credentials
}

/** The public application of the demo data, where there is any; also in a worker process, which has not written it. */
export const demoClientIn = ({ hasDemoData, dataDir }: Pick<Config, 'hasDemoData' | 'dataDir'>): string | undefined =>
  hasDemoData ? read(demoFileIn(dataDir))?.public_client.client_id : undefined

/** The credentials of an earlier start; undefined when there is no file, or it was edited into something else. */
function read(file: string): DemoCredentials | undefined {
  try {
    return DemoCredentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
