import { accessSync, constants, mkdirSync } from 'node:fs'

/** Makes `DATA_DIR`, if it is not there. Throws one line that says what is wrong with it and what to do. */
export function prepareDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const explain = refusals[code]
    if (!explain) throw error
    throw new Error(`DATA_DIR ${dataDir} ${explain()}`)
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
  EROFS: () => `is on a file system that is read-only: ${elsewhere}`,
  ENOSPC: () => `cannot be made, because the file system is full: make room, or ${elsewhere}`,
}
