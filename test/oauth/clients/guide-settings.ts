import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/log-in-with-us.md'), 'utf8')

/** What the guide has somebody write who uses a library: code, with a service at `base` for the one of the examples. */
export function codeInGuide(library: string, base: string): string {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${library}`))
  const code = row && /`([^`]+)` \|$/.exec(row)?.[1]
  if (!code) throw new Error(`The guide says nothing of ${library}`)
  return code.replaceAll('https://api.example.com', base)
}

/** The same, run where these names are known. */
export async function evaluateGuide(library: string, base: string, names: Record<string, unknown>): Promise<unknown> {
  const code = `return async (${Object.keys(names).join(', ')}) => (${codeInGuide(library, base)})`
  return new Function(code)()(...Object.values(names))
}
