import { join, resolve } from 'node:path'
import { accessibleBinaries } from './accessible-binaries.ts'
import { type Binaries, findBinaries, linkedBinaries } from './binaries.ts'
import { claimFolder } from './owned-files.ts'
import { chooseUser, inaccessiblePart, type ServerUser } from './server-user.ts'
import { socketFolder } from './socket-folder.ts'

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

/** `dir` is this user's alone; only what is below `data` belongs to the server's user. Throws one line when it cannot be so. */
export function preparePaths(dataDir: string, runAs: string | undefined, log: (line: string) => void): EmbeddedPaths {
  const dir = embeddedFolder(dataDir)
  claimFolder(dir)
  const user = chooseUser(dir, runAs, log)
  const installed = findBinaries()
  const binaries = user.isOther ? accessibleBinaries(installed, user, log) : linkedBinaries(installed, dir)
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

/**
 * The server's user cannot enter root's folder, nor perhaps a parent of it. It does not have to: the server is started inside
 * the data folder and refers to it as /proc/self/cwd. Elsewhere than on Linux others may enter the folder for that.
 */
function namesFor(dir: string, user: ServerUser): (folder: string) => string {
  const blocked = user.isOther ? inaccessiblePart(dir, user) : undefined
  if (!blocked) return (folder) => folder
  if (process.platform === 'linux') return () => '/proc/self/cwd'
  throw new Error(`User id ${user.uid} cannot enter ${blocked}: set DATA_DIR to a folder that it can enter`)
}
