import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { Keyring } from '../domain/core/keyring.ts'

/**
 * The keys of `SECRET_KEYS`. Beside an embedded database they may be absent: then they are those of
 * `DATA_DIR/secret-keys` (mode 0600), made at the first start and kept as long as the data that they protect.
 */
export function openKeyring({ secretKeys, dataDir }: Pick<Config, 'secretKeys' | 'dataDir'>): Keyring {
  const [first, ...others] = secretKeys ?? keptKeys(dataDir)
  if (first === undefined) throw new Error(`SECRET_KEYS: ${join(dataDir, 'secret-keys')} is empty`)
  return new Keyring([first, ...others])
}

function keptKeys(dataDir: string): string[] {
  const file = join(dataDir, 'secret-keys')
  return read(file) ?? make(file, dataDir)
}

/** Written aside and linked to its name, so that of two processes that start at once one wins and both read the same. */
function make(file: string, dataDir: string): string[] {
  mkdirSync(dataDir, { recursive: true })
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    linkSync(aside, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
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
