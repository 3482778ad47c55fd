import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Binaries, unlinked } from './binaries.ts'
import { inaccessiblePart, type ServerUser } from './server-user.ts'

/**
 * Binaries that the server's user can execute: those that npm installed, or, where they are read-only or in a folder that this
 * user cannot enter (root's home), a copy. It is made once per version, in a folder where only root can write.
 */
export function accessibleBinaries(binaries: Binaries, user: ServerUser, log: (line: string) => void): Binaries {
  const blocked = inaccessiblePart(join(binaries.home, 'bin', 'postgres'), user)
  if (!blocked && unlinked(binaries.home).length === 0) return binaries
  for (const base of ['/var/lib/embedded-postgres', join(tmpdir(), 'embedded-postgres')]) {
    const home = copyTo(base, binaries, user, log)
    if (home) return { home, version: binaries.version }
  }
  throw new Error(
    `User id ${user.uid} cannot run what is in ${blocked ?? binaries.home}, and no copy of PostgreSQL could be made: install the project elsewhere, or set DATABASE_URL`,
  )
}

function copyTo(base: string, binaries: Binaries, user: ServerUser, log: (line: string) => void): string | undefined {
  const target = join(base, binaries.version)
  const home = join(target, 'native')
  try {
    mkdirSync(base, { recursive: true, mode: 0o755 })
    if (!isWritableByRootOnly(base) || inaccessiblePart(base, user)) return undefined
    if (existsSync(target)) return isWritableByRootOnly(target) ? home : undefined
    log(`Copying PostgreSQL (60 MB) to ${target}, where user id ${user.uid} can execute it`)
    copyAtomically(base, binaries, target)
    return home
  } catch (error) {
    log(`${base}: ${String(error)}`)
    return undefined
  }
}

/** Copies under a temporary name and renames, so that a kill in the middle leaves no incomplete copy under the final name. */
function copyAtomically(base: string, binaries: Binaries, target: string): void {
  const temporary = mkdtempSync(join(base, 'incomplete-'))
  cpSync(binaries.home, join(temporary, 'native'), { recursive: true, verbatimSymlinks: true })
  unlinked(join(temporary, 'native'))
  chmodSync(temporary, 0o755)
  try {
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(target)) throw error // else another process was faster
  }
}

/** Whether nobody but root can have put a program there, which the server would execute. */
function isWritableByRootOnly(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  return uid === 0 && (mode & 0o022) === 0
}
