import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseTarget } from '../client.ts'
import { readOwn, writeOwn } from './owned-files.ts'
import { type EmbeddedPaths, embeddedFolder } from './paths.ts'
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts'

export const PORT = 5432 // part of the socket's name; no network port is opened

/** The process that runs the cluster of a folder, and the folder of its socket. Stored in `owner.json`. */
type ClusterOwner = { process: ProcessIdentity; socketDir: string }

/** The cluster that another running process has opened in this DATA_DIR; commands beside a running service connect to it. */
export function findEmbedded(dataDir: string): { target: DatabaseTarget; owner: number } | undefined {
  const owner = readOwner(embeddedFolder(dataDir))
  if (!owner || !isAlive(owner.process)) return undefined
  return { target: targetIn(owner.socketDir), owner: owner.process.pid }
}

export function targetIn(socketDir: string, user = 'app', database = 'app'): Exclude<DatabaseTarget, string> {
  return { host: socketDir, port: PORT, user, database }
}

/** What this user has recorded; what another user put there counts for nothing. */
export function readOwner(dir: string): ClusterOwner | undefined {
  try {
    return JSON.parse(readOwn(join(dir, 'owner.json')) ?? '') as ClusterOwner // written below
  } catch {
    return undefined // missing, or incomplete because its writer was killed
  }
}

export function recordOwner({ dir, socketDir }: EmbeddedPaths): void {
  const owner: ClusterOwner = { process: thisProcess(), socketDir }
  writeOwn(join(dir, 'owner.json'), JSON.stringify(owner))
}

export function forgetOwner(dir: string): void {
  rmSync(join(dir, 'owner.json'), { force: true })
}
