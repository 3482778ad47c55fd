import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Binaries, linkLibraries } from './binaries.ts'
import { barrier, type ServerUser } from './unprivileged.ts'

/**
 * The binaries where the server's user can execute them: as they are, or, when npm put them into a folder that is closed
 * to that user (root's home), a copy that is made once per version in a place where only root can write.
 */
export function reachable(binaries: Binaries, user: ServerUser, log: (line: string) => void): Binaries {
  const closed = user.isOther ? barrier(join(binaries.home, 'bin', 'postgres'), user) : undefined
  if (!closed) return binaries
  for (const base of ['/var/lib/embedded-postgres', join(tmpdir(), 'embedded-postgres')]) {
    const home = copyTo(base, binaries, user, log)
    if (home) return { home, version: binaries.version }
  }
  throw new Error(
    `User id ${user.uid} cannot enter ${closed}, and no copy of PostgreSQL could be made: install the project elsewhere, or set DATABASE_URL`,
  )
}

function copyTo(base: string, binaries: Binaries, user: ServerUser, log: (line: string) => void): string | undefined {
  const target = join(base, binaries.version)
  const home = join(target, 'native')
  try {
    mkdirSync(base, { recursive: true, mode: 0o755 })
    if (!isRootsOwn(base) || barrier(base, user)) return undefined
    if (existsSync(target)) return isRootsOwn(target) ? home : undefined
    log(`Copying PostgreSQL (60 MB) to ${target}, where user id ${user.uid} can reach it`)
    copyAside(base, binaries, target)
    return home
  } catch (error) {
    log(`${base}: ${String(error)}`)
    return undefined
  }
}

/** Copied aside and renamed: a kill in the middle leaves no half copy under the name that is looked for. */
function copyAside(base: string, binaries: Binaries, target: string): void {
  const half = mkdtempSync(join(base, 'half-'))
  cpSync(binaries.home, join(half, 'native'), { recursive: true, verbatimSymlinks: true })
  linkLibraries(join(half, 'native'), half)
  chmodSync(half, 0o755)
  try {
    renameSync(half, target)
  } catch (error) {
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(target)) throw error // else another process was faster
  }
}

/** Whether nobody else can have put anything there: the server would run it. */
function isRootsOwn(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  return uid === 0 && (mode & 0o022) === 0
}
