import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { Keyring } from '../domain/core/keyring.ts'

/**
 * The keys of `SECRET_KEYS`. With the embedded database that may be absent: the keys are then in `DATA_DIR/secret-keys`
 * (mode 0600), which the first start creates and which stays with the data that it protects.
 */
export function openKeyring({ secretKeys, dataDir }: Pick<Config, 'secretKeys' | 'dataDir'>): Keyring {
  const [first, ...others] = secretKeys ?? storedKeys(dataDir)
  if (first === undefined) throw new Error(`SECRET_KEYS: ${join(dataDir, 'secret-keys')} is empty`)
  return new Keyring([first, ...others])
}

function storedKeys(dataDir: string): string[] {
  const file = join(dataDir, 'secret-keys')
  return read(file) ?? create(file, dataDir)
}

/** Written to a temporary file and linked to its name: of two processes that start together one wins, and both read its key. */
function create(file: string, dataDir: string): string[] {
  mkdirSync(dataDir, { recursive: true })
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' }) // follows no link
  try {
    linkSync(temporary, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  return read(file) ?? []
}

function read(file: string): string[] | undefined {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split(',')
      .filter((key) => key !== '')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
