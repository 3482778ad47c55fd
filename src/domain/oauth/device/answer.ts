import { statement } from '../../../db/statement.ts'
import type { ResourcePath } from '../../../shared/resource-paths.ts'
import { holdSession } from '../../access/account-locks.ts'
import type { Session } from '../../access/sessions.ts'
import { audit } from '../../audit/audit.ts'
import type { CalledContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { countAllOrRefuse, countsByAddress, rateLimits } from '../../core/rate-limits.ts'
import type { Scope } from '../../core/scopes.ts'
import { transact } from '../../core/transaction.ts'
import { hashesOfUserCode, readUserCode, showUserCode } from './user-code.ts'

/** A device that waits for an answer. `code` names it: the hash of its device code, in base64url; `userCode` is as it shows it. */
export type WaitingDevice = {
  code: string
  userCode: string
  clientId: string
  scopes: Scope[]
  resource: ResourcePath | undefined
}

type Row = { hash: Buffer; client_id: string; scopes: Scope[]; resource: ResourcePath | null }

/** An application that was stopped meanwhile asks nothing more. */
const findWaiting = statement<[hashes: string[]], Row>(`
  select d.hash, d.client_id, d.scopes, d.resource from device_codes d join clients c on c.id = d.client_id
   where d.user_code_hash = any(array(select decode(hash, 'hex') from unnest($1::text[]) given (hash))) and d.user_id is null and d.expires_at > statement_timestamp()
     and c.disabled_at is null`)

const UNKNOWN = 'There is no device that waits with this code. It may have expired: have the device show a new one.'

/**
 * The device whose code somebody has typed. A code that is none counts as a guess before that is known, so that parallel guesses
 * cannot exceed the limits; a right one is given back. Throws `invalid_request`, `rate_limited`.
 */
export async function findDevice(ctx: CalledContext, session: Session, typed: string): Promise<WaitingDevice> {
  const userCode = readUserCode(typed)
  if (userCode === undefined) throw new Problem('invalid_request', 'A code is eight letters, as the device shows them.')
  const counts = countsByAddress(rateLimits.userCodeAddress, ctx.caller.address, [
    [rateLimits.userCodeSession, session.id],
  ])
  await countAllOrRefuse(ctx, counts, 'Too many wrong codes. Wait before you try again.')
  const [found] = await findWaiting(
    ctx.db,
    hashesOfUserCode(ctx.keyring, userCode).map((hash) => hash.toString('hex')),
  )
  if (!found) throw new Problem('invalid_request', UNKNOWN)
  for (const [limit, key] of counts) await ctx.counters.giveBack(limit, key)
  const { hash, client_id: clientId, scopes, resource } = found
  return {
    code: hash.toString('base64url'),
    userCode: showUserCode(userCode),
    clientId,
    scopes,
    resource: resource ?? undefined,
  }
}

type Values = [hash: Buffer, userId: string, isAllowed: boolean, authenticatedAt: Date, amr: readonly string[]]

const answerOnce = statement<Values, { client_id: string; scopes: Scope[] }>(`
  update device_codes set user_id = $2, is_allowed = $3, authenticated_at = $4::timestamptz, amr = $5::text[]
   where hash = $1 and user_id is null and expires_at > statement_timestamp() returning client_id, scopes`)

/**
 * Stores what somebody has answered to a device, once. Throws `invalid_request` when it waits no longer, `invalid_token` when the session
 * has ended meanwhile.
 */
export async function answerDevice(
  ctx: CalledContext,
  session: Session,
  code: string,
  isAllowed: boolean,
): Promise<void> {
  const { userId, authenticatedAt, amr } = session
  await transact(ctx, async (tx) => {
    await holdSession(tx, session)
    const hash = Buffer.from(code, 'base64url')
    const [answered] = await answerOnce(tx.db, hash, userId, isAllowed, authenticatedAt, amr)
    if (!answered) throw new Problem('invalid_request', UNKNOWN)
    if (!isAllowed) return
    const { client_id: clientId, scopes } = answered
    const actor = { type: 'user', id: userId } as const
    await audit(tx, { actor, action: 'grant.allowed', userId, clientId, details: { scopes, by: 'device' } })
  })
}
