import { statement } from '../../db/statement.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { isSame } from '../core/timing-safe.ts'
import type { InTransaction } from '../core/transaction.ts'
import { changeFacts } from '../mail/change-facts.ts'
import { queueMail } from '../mail/queue-mail.ts'

/** So many accounts a browser is known for; of more, it is forgotten for the one that was entered longest ago. */
const ACCOUNTS_MAX = 10
const MARK_BYTES = 16
const MARK = /^[\w-]{22}$/

/**
 * The value of the cookie by which a browser is known to this account from now on: marks that are separated by dots, the newest
 * first. A mark is a MAC of the user's identifier, so it names nobody and nobody can make one up. `devices` is the cookie so far.
 */
export function rememberDevice({ keyring }: Pick<Context, 'keyring'>, userId: string, devices = ''): string {
  const marks = marksOf(keyring, userId)
  const [current] = marks
  const others = devices.split('.').filter((text) => MARK.test(text) && !isAmong(marks, text))
  return [current.toString('base64url'), ...others].slice(0, ACCOUNTS_MAX).join('.')
}

/**
 * Tells the owner of an account that somebody has logged in with a browser that is not known to it. Nothing is told to an address
 * that is only claimed: it may be a stranger's.
 */
export async function tellOfNewDevice(tx: InTransaction<CalledContext>, userId: string): Promise<void> {
  const marks = marksOf(tx.keyring, userId)
  const { devices = '' } = tx.caller
  if (devices.split('.').some((text) => isAmong(marks, text))) return
  const [owner] = await findConfirmed(tx.db, userId)
  if (!owner) return
  const { username, address } = owner
  await queueMail(tx, 'new_device', { userId, address }, changeFacts(tx, username), { isConfirmed: true })
}

const findConfirmed = statement<[userId: string], { username: string; address: string }>(
  'select username, email as address from users where id = $1 and email_verified_at is not null',
)

/** Under every key: a browser stays known when the keys are changed. */
function marksOf(keyring: Context['keyring'], userId: string) {
  const [current, ...older] = keyring.macs('device', userId)
  return [current.subarray(0, MARK_BYTES), ...older.map((mac) => mac.subarray(0, MARK_BYTES))] as const
}

const isAmong = (marks: readonly Buffer[], text: string): boolean =>
  marks.some((mark) => isSame(mark, Buffer.from(text, 'base64url')))
