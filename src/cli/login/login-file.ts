import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { Refusal } from '../io.ts'

/** What a person has allowed this command line at a service. `expires_at` is the access token's, by the clock of this machine. */
const KeptLogin = z.object({
  client_id: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
  expires_at: z.string(),
  scope: z.string(),
  username: z.string().nullable(),
})
export type KeptLogin = z.output<typeof KeptLogin>

/** Logins by the address of their service, and the service that was logged in to last. */
const Logins = z.object({ current: z.string().nullable(), logins: z.record(z.string(), KeptLogin) })
export type Logins = z.output<typeof Logins>

const FILE = 'credentials.json'
const BYTES_MAX = 64 * 1024
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

/**
 * The logins that are kept in a folder of the user's; none where there is no file. Throws `Refusal` where others could have read or
 * put the file there: no link is followed, and nothing but a file of one's own is read.
 */
export function readLogins(folder: string): Logins {
  const file = openOwn(join(folder, FILE))
  if (file === undefined) return { current: null, logins: {} }
  try {
    const text = readFileSync(file, 'utf8')
    const logins = Logins.safeParse(JSON.parse(text))
    if (logins.success) return logins.data
  } catch {
    // told below: the error of a parser would quote a secret
  } finally {
    closeSync(file)
  }
  throw refusal(`${join(folder, FILE)} is not as "login" writes it: remove it, and log in again.`)
}

function openOwn(path: string): number | undefined {
  const file = openUnfollowed(path)
  if (file === undefined) return undefined
  const found = fstatSync(file)
  const isOurs = found.isFile() && found.uid === ourId(found.uid) && found.size <= BYTES_MAX
  const isPrivate = (found.mode & OTHERS) === 0
  if (isOurs && isPrivate) return file
  closeSync(file)
  throw refusal(`${path} ${isOurs ? READABLE : NOT_OURS}`)
}

/** Where users have no numbers, whatever is asked for is one's own. */
const ourId = (otherwise: number): number => process.getuid?.() ?? otherwise

const NOT_OURS = 'is not a file of yours as "login" writes it: remove it, and log in again.'
const READABLE = 'can be read by others: "chmod 600" it if you trust it, or remove it, and log in again.'

function openUnfollowed(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw refusal(`${path} is a link, which is not followed: remove it, and log in again.`)
    throw error
  }
}

/** Puts the file in place at once, so that whoever reads it finds the old one or the new one. Makes the folder where there is none. */
export function writeLogins(folder: string, logins: Logins): void {
  makeFolder(folder)
  const path = join(folder, `${FILE}.${randomBytes(8).toString('hex')}`)
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  const file = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)
  try {
    writeSync(file, `${JSON.stringify(logins, null, 2)}\n`)
    fsyncSync(file)
    renameSync(path, join(folder, FILE))
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Whoever can write to the folder could put another file in place of ours. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = statSync(folder)
  const isOurs = found.uid === ourId(found.uid)
  if (isOurs && (found.mode & OTHERS_WRITE) === 0) return
  throw refusal(`${folder} can be written to by others: "chmod 700" it first.`)
}

const refusal = (message: string) => new Refusal({ code: 'login_unusable', message })
