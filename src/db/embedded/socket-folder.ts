import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { chownTo, type ServerUser } from './server-user.ts'

const PREFIX = join(tmpdir(), 'developer-api-socket-')
const FILES = ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']
const PATH_BYTES_MAX = 107 // the length of sun_path, which limits at least the client

/** The data folder or, where the path of that is too long for a socket, a new folder of the server's user inside one of ours. */
export function socketFolder(data: string, user: ServerUser): string {
  if (FILES.every((name) => Buffer.byteLength(join(data, name)) <= PATH_BYTES_MAX)) return data
  const ours = mkdtempSync(PREFIX)
  if (user.isOther) chmodSync(ours, 0o711)
  const folder = join(ours, 's')
  mkdirSync(folder, { mode: 0o700 })
  chownTo(user, folder)
  return folder
}

/** Removes such a folder after its server has ended, and nothing else: neither another folder nor what else is in it. */
export function removeSocketFolder(folder: string): void {
  if (!folder.startsWith(PREFIX) || basename(folder) !== 's' || resolve(folder) !== folder) return
  for (const name of FILES) rmSync(join(folder, name), { force: true })
  for (const left of [folder, dirname(folder)]) removeEmpty(left)
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // somebody has put something there, or it is gone
  }
}
