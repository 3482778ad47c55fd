import { eq, type SQL, sql } from 'drizzle-orm'
import { clients, applicationMembers as members } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { isAtLeast, type MemberRole, memberRoles, type Role, roleDescriptions } from '../../shared/roles.ts'
import type { ActorContext, OwnerContext, Wanting } from '../core/context.ts'
import { isId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { actingSession, holdSession } from './account-locks.ts'
import { requireProvedFactor } from './admission.ts'

/** The user whose applications an owner may touch; null for the operator, who owns none and may touch all. */
export function ownerIdOf({ principal }: OwnerContext): string | null {
  switch (principal.kind) {
    case 'user':
      return principal.userId
    case 'operator':
      return null
  }
}

/** What a call wants its caller to be in an application. Whatever says nothing is for the owner alone. */
export const roleWanted = ({ role = 'owner' }: Wanting): Role => role

/** As what members have what a call wants, beside the owner, who always has it. */
export const membersWith = (wanted: Role): MemberRole[] => memberRoles.filter((role) => isAtLeast(role, wanted))

/**
 * SQL for an array of the applications in which the user `user` has one of `roles`, an array as `membersWith` makes it, or which they own.
 * Every question of whose an application is, is asked by this, by `theirApplications` or by `requireApplication`.
 */
export const applicationsOf = (user: string, roles: string): string => `array(
  select id from clients where owner_id = ${user}
  union all select client_id from application_members where user_id = ${user} and role = any (${roles}::text[]))`

/** The same array for statements that are put together: of the applications in which a user is what the call wants. */
export const theirApplications = (userId: string, wanting: Wanting): SQL => sql`array(
  select ${clients.id} from ${clients} where ${clients.ownerId} = ${userId}
  union all select ${members.clientId} from ${members} where ${members.userId} = ${userId}
     and ${members.role} = any (${`{${membersWith(roleWanted(wanting)).join(',')}}`}::text[]))`

/** SQL for the role of the user `user` in an application `c`; null for a stranger. */
export const roleIn = (user: string): string => `case when c.owner_id = ${user} then 'owner' else (
  select role from application_members m where m.client_id = c.id and m.user_id = ${user} limit 1) end`

/**
 * `update` before a deletion; `no key update` for changes, because it does not block tokens from being issued
 * meanwhile.
 */
type Lock = 'update' | 'no key update'

type Found = {
  confidential: boolean
  auth_method: 'secret' | 'private_key_jwt' | 'none'
  scopes: string[]
  owner_id: string | null
  role: Role | null
}

const findApplicationFor = statement<[id: string, userId: string | null], Found>(`
  select c.confidential, c.auth_method, c.scopes, c.owner_id, case when $2::text is null then 'owner' else ${roleIn('$2::text')} end as role
    from clients c where c.id = $1`)

/**
 * An application in which the caller is what the call wants, locked if asked to. Throws `not_found`, also for a stranger, and `forbidden`
 * for a member who is less, and `second_factor_required` for more than reading where developers need one. Asked under the lock, so that who
 * was just removed is refused, and by a session that is held, so that one which has just ended is: then throws `invalid_token`.
 */
export async function requireApplication(ctx: OwnerContext, id: string, lock?: Lock) {
  if (!isId('client', id)) throw notTheirs()
  if (lock) {
    await holdSession(ctx, actingSession(ctx.principal))
    await ctx.db.select({ id: clients.id }).from(clients).where(eq(clients.id, id)).for(lock)
  }
  const [found] = await findApplicationFor(ctx.db, id, ownerIdOf(ctx))
  if (!found?.role) throw notTheirs()
  if (!isAtLeast(found.role, roleWanted(ctx))) throw tooLittle(roleWanted(ctx))
  requireFactorToDevelop(ctx)
  const { confidential, auth_method: authMethod, scopes, owner_id: ownerId, role } = found
  return { confidential, authMethod, scopes, ownerId, role }
}

/** Who was a developer before the operator asked for a second factor, or became one by an invitation, sets one up before anything is changed. */
export function requireFactorToDevelop(ctx: ActorContext): void {
  const { principal } = ctx
  const isSession = principal.kind === 'user' && principal.clientId === null
  if (isSession && roleWanted(ctx) !== 'viewer') requireProvedFactor(ctx, principal.session, 'developers')
}

const notTheirs = () => new Problem('not_found', 'id: you have no application with this identifier.')

/** For a member who is less than the call wants. */
export const tooLittle = (wanted: Role): Problem =>
  new Problem(
    'forbidden',
    `This is for ${wanted === 'owner' ? 'the owner' : `a ${roleDescriptions[wanted].label.toLowerCase()}`} of the application.`,
  )

/** The context of a call that wants no more than to read: to tell a member who is less than wanted from a stranger. */
export const asViewer = <Of extends ActorContext>(ctx: Of): Of => ({ ...ctx, role: 'viewer' })
