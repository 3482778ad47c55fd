import { spawnSync } from 'node:child_process'
import { lchownSync, lstatSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRoot } from './owned-files.ts'

/** The user that runs the server. `isOther`: another one than the user of this process, who is root then. */
export type ServerUser = { uid: number; gid: number; isOther: boolean }

/** The first is made where there is none of them. Never `nobody`, who is whoever else runs as nobody, too. */
const CANDIDATES = ['developer-api', 'postgres', 'node']

/**
 * PostgreSQL refuses to run as root. Root runs it as the owner of the data, else as `developer-api`, `postgres` or `node`,
 * and makes the first of them when there is none. Throws one line when there can be none.
 */
export function chooseUser(dir: string, runAs: string | undefined, log: (line: string) => void): ServerUser {
  if (!isRoot()) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1, isOther: false }
  const { uid, gid } = ownerOf(join(dir, 'data')) ?? namedUser(runAs ? [runAs] : CANDIDATES) ?? makeUser(runAs, log)
  return { uid, gid, isOther: true }
}

type Ids = { uid: number; gid: number }

/** Who owns the data, if there is any. */
function ownerOf(data: string): Ids | undefined {
  const found = lstatSync(data, { throwIfNoEntry: false })
  if (!found) return undefined
  if (!found.isDirectory()) throw new Error(`${data} is no folder of its own: move it away, or set DATA_DIR`)
  if (found.uid === 0) return undefined
  if (found.uid !== namedUser(['nobody'])?.uid) return found
  throw new Error(
    `${data} belongs to nobody, and so to all that runs as nobody: chown -R it to a user of its own, such as ${CANDIDATES[1]}`,
  )
}

function namedUser(names: readonly string[]): Ids | undefined {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of names) {
    const entry = entries.find((fields) => fields[0] === name && fields[2] !== '0')
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) }
  }
  return undefined
}

const SBIN = { PATH: '/usr/sbin:/sbin:/usr/bin:/bin' }

/** A system user without a home, a password and a shell. */
function makeUser(runAs: string | undefined, log: (line: string) => void): Ids {
  const [name = ''] = runAs ? [runAs] : CANDIDATES
  const flags = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin']
  if (!runAs) spawnSync('useradd', [...flags, name], { env: SBIN, stdio: 'ignore' })
  const made = namedUser([name])
  if (!made) {
    throw new Error(
      `PostgreSQL does not run as root, and there is no user ${runAs ?? CANDIDATES.join(' or ')}: make one (useradd --system ${name}), run as another user, or set DATABASE_URL`,
    )
  }
  log(`Made the system user ${name}, as whom PostgreSQL runs`)
  return made
}

/** `path` itself or the nearest of its parents that the user may not search, if there is one. */
export function inaccessiblePart(path: string, user: ServerUser): string | undefined {
  if (!maySearch(path, user)) return path
  const parent = dirname(path)
  return parent === path ? undefined : inaccessiblePart(parent, user)
}

function maySearch(path: string, user: ServerUser): boolean {
  const { mode, uid, gid } = statSync(path)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return (mode & bit) !== 0
}

/** Gives a path that this process has just created, in a folder of its own, to the server's user. */
export function chownTo(user: ServerUser, path: string): void {
  if (user.isOther) lchownSync(path, user.uid, user.gid)
}

/** Removes a folder of the server's user, by that user: what root removed could become a link while it does. */
export function removeAs({ uid, gid, isOther }: ServerUser, folder: string): void {
  if (isOther && lstatSync(folder).isDirectory()) {
    const everything = 'rm -rf ./* ./.[!.]* ./..?*'
    spawnSync('/bin/sh', ['-c', everything], { cwd: folder, uid, gid, env: SBIN, stdio: 'ignore' })
    rmdirSync(folder)
  } else rmSync(folder, { recursive: true, force: true })
}
