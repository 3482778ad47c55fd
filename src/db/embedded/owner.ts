import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseTarget } from '../client.ts'
import { type Identity, isAlive, thisProcess } from './identity.ts'
import { type EmbeddedPaths, embeddedFolder } from './place.ts'

export const PORT = 5432 // a socket's name; nothing listens on the network

/** Which process runs the cluster of a folder, and how to reach it. Kept in `owner.json`. */
type ClusterOwner = { process: Identity; socketDir: string }

/** The cluster that another live process runs from this DATA_DIR: for the command line beside a running service. */
export function findEmbedded(dataDir: string): { target: DatabaseTarget; owner: number } | undefined {
  const owner = readOwner(embeddedFolder(dataDir))
  if (!owner || !isAlive(owner.process)) return undefined
  return { target: targetIn(owner.socketDir), owner: owner.process.pid }
}

export function targetIn(socketDir: string, user = 'app', database = 'app'): Exclude<DatabaseTarget, string> {
  return { host: socketDir, port: PORT, user, database }
}

export function readOwner(dir: string): ClusterOwner | undefined {
  try {
    return JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8')) as ClusterOwner // written below
  } catch {
    return undefined // none, or half of one: whoever wrote it is gone
  }
}

export function recordOwner({ dir, socketDir }: EmbeddedPaths): void {
  forgetOwner(dir) // an earlier one may be root's, which this user can remove but not write to
  const owner: ClusterOwner = { process: thisProcess(), socketDir }
  writeFileSync(join(dir, 'owner.json'), JSON.stringify(owner), { mode: 0o600 })
}

export function forgetOwner(dir: string): void {
  rmSync(join(dir, 'owner.json'), { force: true })
}
