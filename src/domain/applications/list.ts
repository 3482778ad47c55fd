import { instantText, statement } from '../../db/statement.ts'
import type { Role } from '../../shared/roles.ts'
import { applicationsOf, membersWith, ownerIdOf, requireApplication, roleIn, roleWanted } from '../access/ownership.ts'
import type { OwnerContext } from '../core/context.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import type { Application } from './resources.ts'

const LAST_CALL = '(select max(u.hour) from client_usage u where u.client_id = c.id)'

const select = (role: string) => `
  select c.id, c.name, c.website_url, c.confidential, c.grant_types, c.scopes, c.jwks, c.dpop_bound,
         array(select uri from client_redirect_uris r where r.client_id = c.id order by uri) as redirect_uris,
         ${instantText('c.created_at')} as created_at, ${instantText('c.updated_at')} as updated_at,
         ${instantText(LAST_CALL)} as last_called_at, ${instantText('c.disabled_at')} as disabled_at,
         ${role} as role
    from clients c`

const roleOfReader = `case when $1::text is null then 'owner' else ${roleIn('$1::text')} end`

/** Whoever has just gone has no role. */
type Found = Omit<Application, 'role'> & { role: Role | null }
const applicationById = statement<[reader: string | null, id: string], Found>(`${select(roleOfReader)} where c.id = $2`)

type Values = [userId: string, after: string, count: number, members: string[]]
const applicationsAfter = statement<Values, Application>(
  `${select(roleIn('$1'))} where c.id = any (${applicationsOf('$1', '$4')}) and c.id > $2 order by c.id limit $3`,
)

const allApplicationsAfter = statement<[after: string, count: number], Application>(
  `${select(`'owner'`)} where c.id > $1 order by c.id limit $2`,
)

/** An application that the caller belongs to. Throws `not_found`. */
export async function getApplication(ctx: OwnerContext, { id }: { id: string }): Promise<Application> {
  await requireApplication(ctx, id)
  return findApplication(ctx, id)
}

/** The applications that the caller owns or belongs to, or all of them for the operator; oldest first. */
export async function listApplications(ctx: OwnerContext, { limit, cursor }: PageRequest): Promise<Page<Application>> {
  const [after = ''] = decodeCursor(ctx, 'applications', cursor) ?? []
  const ownerId = ownerIdOf(ctx)
  const found =
    ownerId === null
      ? await allApplicationsAfter(ctx.db, after, limit + 1)
      : await applicationsAfter(ctx.db, ownerId, after, limit + 1, membersWith(roleWanted(ctx)))
  return toPage(ctx, 'applications', found, limit, ({ id }) => [id])
}

/** For callers that have checked who owns it, or hold its lock. */
export async function findApplication(ctx: OwnerContext, id: string): Promise<Application> {
  const [found] = await applicationById(ctx.db, ownerIdOf(ctx), id)
  if (!found?.role) throw new Problem('not_found', 'id: you have no application with this identifier.')
  return { ...found, role: found.role }
}
