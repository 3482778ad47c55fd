import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { DemoCredentials } from '../domain/demo/credentials.ts'

export const demoFileIn = (dataDir: string) => join(dataDir, 'demo.json')

/** What the last start has written, where there are demo data; also in a process that has not written it. */
export const demoIn = ({ hasDemoData, dataDir }: Pick<Config, 'hasDemoData' | 'dataDir'>) =>
  hasDemoData ? readDemo(demoFileIn(dataDir)) : undefined

/** The credentials of an earlier start; undefined when there is no file, or it was edited into something else. */
export function readDemo(file: string): DemoCredentials | undefined {
  try {
    return DemoCredentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
