import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates `DATA_DIR` unless it exists. Throws one line that says what is wrong with it and what to do. */
export function prepareDataDir(dataDir: string): void {
  try {
    createMissing(dataDir)
    mkdirSync(dataDir, { recursive: true }) // throws when the path exists and is not a folder
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const explain = refusals[code]
    if (!explain) throw error
    throw new Error(`DATA_DIR ${dataDir} ${explain()}`)
  }
}

/** Creates one folder at a time: `recursive` in Node 20 never returns where no folder can be created, as below /proc. */
function createMissing(folder: string): void {
  if (existsSync(folder)) return
  createMissing(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // otherwise another process was faster
  }
}

const user = () => (process.getuid ? `user id ${process.getuid()}` : 'this user')
const elsewhere = 'set DATA_DIR to a folder that can be written to'
const isFile = () => 'is, or is below, a file: set DATA_DIR to a folder'
const isClosed = () => `may not be written to by ${user()}: give it to that user, or set DATA_DIR to another folder`

const refusals: Record<string, (() => string) | undefined> = {
  EEXIST: isFile,
  ENOTDIR: isFile,
  EACCES: isClosed,
  EPERM: isClosed,
  ENOENT: () => `cannot be made where it is: ${elsewhere}`,
  EROFS: () => `is on a file system that is read-only: ${elsewhere}`,
  ENOSPC: () => `cannot be made, because the file system is full: make room, or ${elsewhere}`,
}
