import { isIP } from 'node:net'
import { auditLog } from '../../db/schema/index.ts'
import type { Caller, Context, Principal, UserPrincipal } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { InTransaction } from '../core/transaction.ts'

/** Whoever did something. Operators act through the command line; the system by itself. */
export type Actor = { type: 'user' | 'client' | 'api_key'; id: string } | { type: 'operator' } | { type: 'system' }

/** Who runs the service, at its command line: owns nothing and may act for every owner. */
export type Operator = { kind: 'operator' }

/** A verb about applications acts for the user who owns them, or for the operator. */
export type OwnerContext = Context & { principal: UserPrincipal | Operator; caller?: Caller }

type AuditAction =
  | `user.${'created' | 'email_changed' | 'password_changed' | 'disabled' | 'enabled'}`
  | `session.${'started' | 'ended'}`
  | `application.${'created' | 'updated' | 'deleted' | 'disabled' | 'enabled'}`
  | `secret.${'created' | 'revoked'}`
  | `key.${'created' | 'rolled' | 'revoked'}`
  | `signing_secret.${'created' | 'rotated' | 'revoked'}`
  | `grant.${'allowed' | 'revoked'}`

export type AuditEntry = {
  actor: Actor
  action: AuditAction
  /** Whose account it concerns. */
  userId?: string | null
  clientId?: string | null
  /** The credential, grant or session itself, by its identifier. */
  targetId?: string
  /** Plain facts, for people who read the log later. Never a secret, not even its hash. */
  details?: Record<string, string | number | boolean | readonly string[]>
}

/** Records who did what to an account, an application or a credential, in the transaction that does it. */
export async function audit(tx: InTransaction<Context & { caller?: Caller }>, entry: AuditEntry): Promise<void> {
  const { actor, action, userId, clientId, targetId, details = {} } = entry
  await tx.db.insert(auditLog).values({
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
  })
}

/** The actor that acts for an owner. */
export function actorOf({ principal }: OwnerContext): Actor {
  return principal.kind === 'user' ? { type: 'user', id: principal.userId } : { type: 'operator' }
}

/** The actor behind a credential: an application, also where it acts for a user, or a person who is signed in. */
export function actorBehind(principal: Principal | Operator): Actor {
  if (principal.kind === 'operator') return { type: 'operator' }
  if (principal.kind === 'application') return { type: 'client', id: principal.clientId }
  const { clientId, userId } = principal
  return clientId === null ? { type: 'user', id: userId } : { type: 'client', id: clientId }
}

/** What the database can take as `inet`; a caller by a unix socket has no address. */
export function addressOf(caller: Caller | undefined): string | null {
  return caller && isIP(caller.address) !== 0 ? caller.address : null
}

const USER_AGENT_LENGTH = 300

/** Of a header that callers write what they like into. */
export function userAgentOf(caller: Caller | undefined): string | null {
  return caller?.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null
}
