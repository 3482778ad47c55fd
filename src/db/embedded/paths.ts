import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { accessibleBinaries } from './accessible-binaries.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { chooseUser, chownTo, inaccessiblePart, type ServerUser } from './server-user.ts'

/** Paths and settings of a cluster that do not change when its server is restarted. */
export type EmbeddedPaths = {
  dir: string
  data: string
  socketDir: string
  user: ServerUser
  binaries: Binaries
  env: Record<string, string>
  /** The path by which the server refers to its working directory, see `namesFor`. */
  nameOf: (folder: string) => string
}

/** The folder of the embedded cluster under DATA_DIR. */
export const embeddedFolder = (dataDir: string) => join(resolve(dataDir), 'postgres')

const SOCKET_FOLDER_PREFIX = join(tmpdir(), 'developer-api-socket-')
const SOCKET_PATH_BYTES_MAX = 107 // the length of sun_path, which limits at least the client

export function preparePaths(dataDir: string, runAs: string | undefined, log: (line: string) => void): EmbeddedPaths {
  const dir = embeddedFolder(dataDir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const user = chooseUser(dir, runAs)
  const binaries = accessibleBinaries(findBinaries(dir), user, log)
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
  const folder = mkdtempSync(SOCKET_FOLDER_PREFIX)
  chownTo(user, folder)
  return folder
}

/** Whether `preparePaths` created this folder for a socket, because the path of the data folder is too long for one. */
export const isSocketFolder = (path: string) => path.startsWith(SOCKET_FOLDER_PREFIX) && resolve(path) === path

/**
 * The server's user may not be able to enter a parent of the folder, such as root's home. It does not have to: the server is
 * started inside the folder and refers to it as /proc/self/cwd.
 */
function namesFor(dir: string, user: ServerUser): (folder: string) => string {
  const blocked = user.isOther ? inaccessiblePart(dir, user) : undefined
  if (!blocked) return (folder) => folder
  if (process.platform === 'linux') return () => '/proc/self/cwd'
  throw new Error(`User id ${user.uid} cannot enter ${blocked}: set DATA_DIR to a folder that it can enter`)
}
