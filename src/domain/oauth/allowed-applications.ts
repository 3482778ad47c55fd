import { instantText, statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import type { Context, UserContext } from '../core/context.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import type { Scope } from '../core/scopes.ts'
import { transact } from '../core/transaction.ts'
import { isHearing } from '../events/consent.ts'
import type { AllowedApplication } from './resources.ts'
import { revokeConsents } from './revoke-grants.ts'

type Webhook = AllowedApplication['webhooks'][number]
type Row = Omit<AllowedApplication, 'webhooks'> & { webhooks: string }

const WEBHOOKS_SHOWN = 100

const allowedAfter = statement<[userId: string, after: string, count: number], Row>(`
  select c.id as application_id, c.name, c.website_url, array_agg(distinct s.scope order by s.scope) as scopes,
         count(distinct g.id)::int as grants,
         ${instantText('min(g.created_at)')} as first_allowed_at, ${instantText('max(g.created_at)')} as last_allowed_at,
         (select coalesce(json_agg(w order by w.id), '[]')::text from (
            select s.id, s.url, s.event_types, ${instantText('s.created_at')} as created_at from webhook_subscriptions s
             where s.client_id = c.id and s.user_id = $1 and ${isHearing('s')} order by s.id limit ${WEBHOOKS_SHOWN}) w) as webhooks
    from grants g
    join clients c on c.id = g.client_id
    cross join lateral unnest(g.scopes) as s (scope)
   where g.user_id = $1 and g.revoked_at is null and g.expires_at > statement_timestamp() and c.id > $2
   group by c.id
   order by c.id limit $3`)

/**
 * The applications that have access to the caller's account, in the order of their registration, each with the webhooks that
 * hear the caller's channel.
 */
export async function listAllowed(ctx: UserContext, { limit, cursor }: PageRequest): Promise<Page<AllowedApplication>> {
  const [after = ''] = decodeCursor(ctx, 'allowed', cursor) ?? []
  const found = await allowedAfter(ctx.db, ctx.principal.userId, after, limit + 1)
  const shown = found.map((row) => ({ ...row, webhooks: webhooksOf(row) }))
  return toPage(ctx, 'allowed', shown, limit, ({ application_id }) => [application_id])
}

function webhooksOf({ webhooks }: Row): Webhook[] {
  const stored = JSON.parse(webhooks) as (Omit<Webhook, 'host'> & { url: string })[]
  return stored.map(({ url, ...webhook }) => ({ ...webhook, host: new URL(url).host }))
}

/** Revokes an application's access to the caller's account: every grant and every token. Throws `not_found`. */
export async function revokeAllowed(ctx: UserContext, { application_id }: { application_id: string }): Promise<void> {
  const { userId } = ctx.principal
  const actor = { type: 'user', id: userId } as const
  const revoked = await transact(ctx, (tx) =>
    revokeConsents(tx, { userId, clientId: application_id }, { reason: 'user', actor }),
  )
  if (revoked.length === 0) throw new Problem('not_found', 'application_id: has no access to your account.')
}

type Covering = [clientId: string, userId: string, scopes: readonly Scope[], resource: ResourcePath | null]

/**
 * Of those that came of a question, which know how their user had logged in: a token for the playground, or a webhook of one's own, is
 * no answer to the application.
 */
const findCovering = statement<Covering, { id: string }>(`
  select id from grants
   where client_id = $1 and user_id = $2 and scopes @> $3::text[] and revoked_at is null and authenticated_at is not null
     and (resource is null or resource = $4)
     and expires_at > statement_timestamp()
   limit 1`)

type Wanted = { clientId: string; userId: string; scopes: readonly Scope[]; resource?: ResourcePath | undefined }

/** Whether one active grant covers all of these scopes, at this resource, that this user has given to this client when asked. */
export async function hasAllowed({ db }: Context, { clientId, userId, scopes, resource }: Wanted): Promise<boolean> {
  const covering = await findCovering(db, clientId, userId, scopes, resource ?? null)
  return covering.length > 0
}
