import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

// The server's user may have been at work where root reads and writes. So nothing here follows a link, waits for a pipe, or
// takes for its own what another user owns or has linked to.
const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const AS_IT_IS = O_NOFOLLOW | O_NONBLOCK

const userId = () => process.getuid?.() ?? -1
export const isRoot = () => userId() === 0

/**
 * Makes `dir` a folder of this user that nobody else can look into. Root takes over what an earlier release gave to the server's
 * user; nobody else takes anything over. Throws one line when it is somebody else's, or when others can exchange it.
 */
export function claimFolder(dir: string): void {
  mkdirSync(dirname(dir), { recursive: true })
  if (isRoot()) requireRootsFolder(dirname(dir))
  if (!existsSync(dir)) mkdirSync(dir, { mode: 0o700 })
  const descriptor = openFolder(dir)
  try {
    const { uid } = fstatSync(descriptor)
    if (uid !== userId() && !isRoot()) throw new Error(belongsTo(dir, uid))
    if (uid !== userId()) fchownSync(descriptor, 0, 0)
    fchmodSync(descriptor, isRoot() && process.platform !== 'linux' ? 0o711 : 0o700) // see namesFor in paths.ts
  } finally {
    closeSync(descriptor)
  }
}

function openFolder(dir: string): number {
  try {
    return openSync(dir, O_RDONLY | O_DIRECTORY | AS_IT_IS)
  } catch (error) {
    if (lstatSync(dir).isDirectory()) throw error
    throw new Error(`${dir} is a link or a file: move it away, or set DATA_DIR to where it leads`, { cause: error })
  }
}

/** Whoever may write to the folder above could put a link of his in the place of ours. */
function requireRootsFolder(folder: string): void {
  const { uid, gid, mode } = statSync(folder)
  const other = [lstatSync(folder).uid, uid].find((owner) => owner !== 0)
  if (other !== undefined) throw new Error(belongsTo(folder, other))
  const isOthers = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== 0)
  if (isOthers) throw new Error(`${folder} may be written to by others: chmod go-w ${folder}, or set DATA_DIR`)
}

const belongsTo = (folder: string, uid: number) =>
  `${folder} belongs to user id ${uid}, not to ${userId()}: run as that user, or set DATA_DIR`

/** Opens a file of ours to append to it. What is in its place and not ours is removed. */
export function openOwnLog(file: string): number {
  return openOwn(file, O_WRONLY | O_APPEND) ?? openAnew(file)
}

function openAnew(file: string): number {
  rmSync(file, { force: true })
  return openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600)
}

/** Opens a file to lock it. One of the server's user is the lock of an earlier release, which may still be held. */
export function openLock(file: string): number {
  const descriptor = openRegular(file, O_RDONLY)
  if (descriptor !== undefined) return descriptor
  rmSync(file, { force: true })
  return openSync(file, O_RDONLY | O_CREAT | O_EXCL, 0o600)
}

/** The text of a file of ours; undefined when it is missing, or not ours. */
export function readOwn(file: string): string | undefined {
  const descriptor = openOwn(file, O_RDONLY)
  return descriptor === undefined ? undefined : readAndClose(descriptor, (open) => readFileSync(open, 'utf8'))
}

/** Replaces a file of ours. */
export function writeOwn(file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}

const HEAD_BYTES = 4_096

/** How a file of the server's user begins; undefined when it is missing, or no file. */
export function readHead(file: string): string | undefined {
  const descriptor = openRegular(file, O_RDONLY)
  if (descriptor === undefined) return undefined
  return readAndClose(descriptor, (open) => {
    const buffer = Buffer.alloc(HEAD_BYTES)
    return buffer.toString('utf8', 0, readSync(open, buffer))
  })
}

/** Undefined also for a second name of a file, by which its content could be somebody else's. */
function openOwn(file: string, flags: number): number | undefined {
  const descriptor = openRegular(file, flags)
  if (descriptor === undefined) return undefined
  const { uid, nlink } = fstatSync(descriptor)
  if (uid === userId() && nlink === 1) return descriptor
  closeSync(descriptor)
  return undefined
}

function openRegular(file: string, flags: number): number | undefined {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
  const descriptor = openSync(file, flags | AS_IT_IS)
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  return undefined
}

function readAndClose(descriptor: number, read: (descriptor: number) => string): string {
  try {
    return read(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
