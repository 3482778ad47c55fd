import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The user that runs the server. `isOther`: another one than the user of this process, who is root then. */
export type ServerUser = { uid: number; gid: number; isOther: boolean }

const CANDIDATES = ['postgres', 'node', 'nobody']

/**
 * PostgreSQL refuses to run as root. Root runs it as the owner of the data, else as `postgres`, `node` or `nobody`. Gives the
 * folder to that user, with mode 0700. Throws one line if the folder belongs to another user.
 */
export function chooseUser(dir: string, runAs?: string): ServerUser {
  const uid = process.getuid?.() ?? -1
  const user = uid === 0 ? userForRoot(dir, runAs) : { uid, gid: process.getgid?.() ?? -1, isOther: false }
  if (user.isOther) chownSync(dir, user.uid, user.gid)
  const owner = statSync(dir).uid
  if (owner !== user.uid) {
    throw new Error(`${dir} belongs to user id ${owner}, not to ${user.uid}: run as that user, or set DATA_DIR`)
  }
  chmodSync(dir, 0o700)
  return user
}

function userForRoot(dir: string, runAs?: string): ServerUser {
  const data = join(dir, 'data')
  const owner = existsSync(data) ? statSync(data) : undefined
  const user = owner && owner.uid !== 0 ? owner : namedUser(runAs ? [runAs] : CANDIDATES)
  return { uid: user.uid, gid: user.gid, isOther: true }
}

function namedUser(names: readonly string[]): { uid: number; gid: number } {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of names) {
    const entry = entries.find((fields) => fields[0] === name && fields[2] !== '0')
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) }
  }
  throw new Error(
    `PostgreSQL does not run as root, and there is no user ${names.join(' or ')}: run as another user, or set DATABASE_URL`,
  )
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

/** Gives a path that this process has just created to the server's user. */
export function chownTo(user: ServerUser, path: string): void {
  if (user.isOther) chownSync(path, user.uid, user.gid)
}
