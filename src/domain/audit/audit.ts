import { isIP } from 'node:net'
import { auditLog } from '../../db/schema/index.ts'
import type { Actor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { InTransaction } from '../core/transaction.ts'

/**
 * An actor as the log names it: an application is its `client`, also where it acts for a user. `system` is the service
 * itself, which makes the accounts of the demonstration.
 */
export type AuditActor = { type: 'user' | 'client'; id: string } | { type: 'operator' } | { type: 'system' }

type AuditAction =
  | `user.${'created' | 'email_changed' | 'email_verified' | 'email_lost' | 'password_changed' | 'disabled' | 'enabled' | 'closed' | 'reopened' | 'erased'}`
  | `session.${'started' | 'ended'}`
  | `factor.${'added' | 'removed' | 'reset'}`
  | `recovery_codes.${'created' | 'used'}`
  | `application.${'created' | 'updated' | 'deleted' | 'disabled' | 'enabled' | 'transfer_offered' | 'transferred' | 'handed_on' | 'given'}`
  | `member.${'invited' | 'joined' | 'role_changed' | 'removed' | 'left'}`
  | `invitation.${'revoked' | 'declined'}`
  | `secret.${'created' | 'revoked'}`
  | `key.${'created' | 'rolled' | 'revoked'}`
  | `overlay_key.${'created' | 'rolled' | 'revoked'}`
  | `stream_key.${'created' | 'rolled' | 'revoked'}`
  | `signing_secret.${'created' | 'rotated' | 'revoked'}`
  | `subscription.${'updated' | 'disabled' | 'enabled'}`
  | `grant.${'allowed' | 'revoked'}`
  | 'token.issued'

export type AuditEntry = {
  actor: AuditActor
  action: AuditAction
  /** The user whose account it is about. */
  userId?: string | null
  clientId?: string | null
  /** The credential, grant or session itself, by its identifier. */
  targetId?: string
  /** Facts for people who read the log later. Never a secret, not even its hash. */
  details?: Record<string, string | number | boolean | readonly string[]>
}

/** Records who did what to an account, an application or a credential, in the transaction that does it. */
export const audit = (tx: Auditing, entry: AuditEntry): Promise<void> => auditAll(tx, [entry])

/** The same for several at once, a thousand by each statement. */
export async function auditAll(tx: Auditing, entries: readonly AuditEntry[]): Promise<void> {
  for (let done = 0; done < entries.length; done += CHUNK_ROWS) {
    const rows = entries.slice(done, done + CHUNK_ROWS).map((entry) => rowOf(tx, entry))
    await tx.db.insert(auditLog).values(rows)
  }
}

const CHUNK_ROWS = 1_000

type Auditing = InTransaction<Context & { caller?: Caller }>

function rowOf(tx: Auditing, { actor, action, userId, clientId, targetId, details = {} }: AuditEntry) {
  return {
    id: newId('audit', tx.now()),
    actorType: actor.type,
    actorId: 'id' in actor ? actor.id : null,
    action,
    userId: userId ?? null,
    clientId: clientId ?? null,
    targetId: targetId ?? null,
    requestId: tx.caller?.requestId ?? null,
    ip: addressOf(tx.caller),
    userAgent: userAgentOf(tx.caller),
    details,
  }
}

/** How the log names an actor. */
export function actorBehind(actor: Actor): AuditActor {
  switch (actor.kind) {
    case 'operator':
      return { type: 'operator' }
    case 'application':
      return { type: 'client', id: actor.clientId }
    case 'user':
      return actor.clientId === null
        ? { type: 'user', id: actor.userId } // signed in on our own pages
        : { type: 'client', id: actor.clientId }
  }
}

/** The address, if PostgreSQL can store it as `inet`: a caller on a unix socket has none. */
export function addressOf(caller: Caller | undefined): string | null {
  return caller && isIP(caller.address) !== 0 ? caller.address : null
}

const USER_AGENT_LENGTH = 300

/** Cut off, since callers may put anything into this header. */
export function userAgentOf(caller: Caller | undefined): string | null {
  return caller?.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null
}
