import { instantText, statement } from '../../../db/statement.ts'
import { requireApplication } from '../../access/ownership.ts'
import type { UserContext } from '../../core/context.ts'
import type { ApplicationPeople, Invitation } from './resources.ts'

const selectMembers = statement<[id: string], ApplicationPeople['members'][number]>(`
  select * from (
    select u.id as user_id, u.username, 'owner' as role, null as joined_at
      from clients c join users u on u.id = c.owner_id where c.id = $1
    union all
    select u.id, u.username, m.role, ${instantText('m.joined_at')}
      from application_members m join users u on u.id = m.user_id
     where m.client_id = $1 and u.disabled_at is null) people
   order by role <> 'owner', joined_at, user_id`)

const selectInvitations = statement<[id: string, reader: string | null], Invitation>(`
  select i.id, i.role, i.address as email, u.username, ${instantText('i.created_at')} as created_at,
         ${instantText('i.expires_at')} as expires_at
    from application_invitations i left join users u on u.id = i.user_id
   where i.client_id = $1 and i.expires_at > statement_timestamp() and ($2::text is null or i.user_id = $2)
   order by i.id`)

/**
 * Who belongs to an application, its owner first, then by when they came, but for closed accounts; and who is asked to. Invited addresses are for the owner alone.
 * Throws `not_found`.
 */
export async function listPeople(
  ctx: UserContext,
  { application_id: id }: { application_id: string },
): Promise<ApplicationPeople> {
  const { role } = await requireApplication(ctx, id)
  const [members, invitations] = await Promise.all([
    selectMembers(ctx.db, id),
    selectInvitations(ctx.db, id, role === 'owner' ? null : ctx.principal.userId),
  ])
  return { members, invitations }
}
