import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { isLoopbackHost, parseUrl } from '../domain/core/url.ts'
import { DemoCredentials } from '../domain/demo/credentials.ts'

export const demoFileIn = (dataDir: string) => join(dataDir, 'demo.json')

/** What the last start has written, where there are demo data; also in a process that has not written it. */
export const demoIn = ({ hasDemoData, dataDir }: Pick<Config, 'hasDemoData' | 'dataDir'>) =>
  hasDemoData ? readDemo(demoFileIn(dataDir)) : undefined

/**
 * Where that start has put the service, if it is on this machine or where the configuration says: credentials are sent there, and the
 * file is that of whichever folder a command is run in.
 */
export function demoUrlIn(config: Pick<Config, 'hasDemoData' | 'dataDir' | 'publicUrl'>): string | undefined {
  const { origin, hostname = '' } = parseUrl(demoIn(config)?.base_url ?? '') ?? {}
  return isLoopbackHost(hostname) || origin === new URL(config.publicUrl).origin ? origin : undefined
}

/** The credentials of an earlier start; undefined when there is no file, or it was edited into something else. */
export function readDemo(file: string): DemoCredentials | undefined {
  try {
    return DemoCredentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
