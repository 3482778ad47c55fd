import { instantText, statement } from '../../db/statement.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { isSame } from '../core/timing-safe.ts'
import type { InTransaction } from '../core/transaction.ts'
import { changeFacts } from '../mail/change-facts.ts'
import { queueMail } from '../mail/queue-mail.ts'

/** So many accounts a browser is known for; of more, it is forgotten for the one that was entered longest ago. */
const ACCOUNTS_MAX = 10
const MARK_BYTES = 16
const MARK = /^[\w-]{22}$/

/** Whose browser is marked, and when those that were marked before were forgotten, if ever. */
type Marked = { id: string; forgotten_at: string | null }

const FORGOTTEN_AT = `${instantText('u.devices_forgotten_at')} as forgotten_at`
const findEntered = statement<[secretHash: Buffer], Marked>(`
  select u.id, ${FORGOTTEN_AT} from login_sessions s join users u on u.id = s.user_id where s.secret_hash = $1`)

/**
 * The value of the cookie by which a browser is known from now on to the account whose session it has just begun; undefined where that
 * has ended already. `devices` is the cookie so far.
 */
export async function rememberDevice(
  { db, keyring }: Pick<Context, 'db' | 'keyring'>,
  session: string,
  devices?: string,
): Promise<string | undefined> {
  const [entered] = await findEntered(db, sha256(session))
  return entered && markDevice(keyring, entered, devices)
}

/**
 * Marks that are separated by dots, the newest first. A mark is a MAC of the user's identifier, so it names nobody and nobody can
 * make one up.
 */
export function markDevice(keyring: Context['keyring'], marked: Marked, devices = ''): string {
  const marks = marksOf(keyring, marked)
  const [current] = marks
  const others = devices.split('.').filter((text) => MARK.test(text) && !isAmong(marks, text))
  return [current.toString('base64url'), ...others].slice(0, ACCOUNTS_MAX).join('.')
}

/**
 * Tells the owner of an account that somebody has logged in with a browser that is not known to it. Nothing is told to an address
 * that is only claimed: it may be a stranger's.
 */
export async function tellOfNewDevice(tx: InTransaction<CalledContext>, userId: string): Promise<void> {
  const [owner] = await findConfirmed(tx.db, userId)
  if (!owner) return
  const marks = marksOf(tx.keyring, owner)
  const { devices = '' } = tx.caller
  if (devices.split('.').some((text) => isAmong(marks, text))) return
  const { username, address } = owner
  await queueMail(tx, 'new_device', { userId, address }, changeFacts(tx, username), { isConfirmed: true })
}

const findConfirmed = statement<[userId: string], Marked & { username: string; address: string }>(`
  select id, username, email as address, ${FORGOTTEN_AT} from users u where id = $1 and email_verified_at is not null`)

/**
 * Under every key: a browser stays known when the keys are changed. A new password forgets them all: whoever had the old one may have
 * marked a browser of theirs.
 */
function marksOf(keyring: Context['keyring'], { id, forgotten_at: forgottenAt }: Marked) {
  const text = forgottenAt === null ? id : `${id} ${forgottenAt}`
  const [current, ...older] = keyring.macs('device', text)
  return [current.subarray(0, MARK_BYTES), ...older.map((mac) => mac.subarray(0, MARK_BYTES))] as const
}

const isAmong = (marks: readonly Buffer[], text: string): boolean =>
  marks.some((mark) => isSame(mark, Buffer.from(text, 'base64url')))
