import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Binaries, findBinaries } from './binaries.ts'
import { reachable } from './reachable-copy.ts'
import { barrier, chooseUser, giveTo, type ServerUser } from './unprivileged.ts'

/** Everything about where a cluster lives that stays the same however often its server is started. */
export type EmbeddedPaths = {
  dir: string
  data: string
  socketDir: string
  user: ServerUser
  binaries: Binaries
  env: Record<string, string>
  /** A folder as the server calls it, while it is the folder that the server was started in. */
  nameOf: (folder: string) => string
}

/** The folder of the embedded cluster under DATA_DIR. */
export const embeddedFolder = (dataDir: string) => join(resolve(dataDir), 'postgres')

const SOCKET_FOLDERS = join(tmpdir(), 'developer-api-socket-')
const SOCKET_PATH_BYTES_MAX = 107 // of sun_path, for the client at least

export function preparePlace(dataDir: string, runAs: string | undefined, log: (line: string) => void): EmbeddedPaths {
  const dir = embeddedFolder(dataDir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const user = chooseUser(dir, runAs)
  const binaries = reachable(findBinaries(dir), user, log)
  const data = join(dir, 'data')
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' }
  return {
    dir,
    data,
    socketDir: socketFolder(data, user),
    user,
    binaries,
    env: { ...env, ...(binaries.libraryPath && { LD_LIBRARY_PATH: binaries.libraryPath }) },
    nameOf: namesFor(dir, user),
  }
}

function socketFolder(data: string, user: ServerUser): string {
  if (Buffer.byteLength(join(data, '.s.PGSQL.5432.lock')) <= SOCKET_PATH_BYTES_MAX) return data
  const folder = mkdtempSync(SOCKET_FOLDERS)
  giveTo(user, folder)
  return folder
}

/** Whether a path is that of a folder for a socket, which `preparePlace` makes where the data's own path is too long. */
export const isSocketFolder = (path: string) => path.startsWith(SOCKET_FOLDERS) && resolve(path) === path

/**
 * The server's user may not be allowed to walk to the folder (a project in root's home). It need not walk: it is started
 * inside and calls that by the kernel's name for "where I am".
 */
function namesFor(dir: string, user: ServerUser): (folder: string) => string {
  const closed = user.isOther ? barrier(dir, user) : undefined
  if (!closed) return (folder) => folder
  if (process.platform === 'linux') return () => '/proc/self/cwd'
  throw new Error(`User id ${user.uid} cannot enter ${closed}: set DATA_DIR to a folder that it can enter`)
}
