import { statement } from '../../db/statement.ts'
import { requireApplication } from '../access/ownership.ts'
import { mint } from '../access/token-format.ts'
import { actorBehind, audit } from '../audit/audit.ts'
import type { CalledContext, UserContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { newId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { rateLimits } from '../core/rate-limits.ts'
import type { TokenResponse } from '../core/resources.ts'
import { apiScopesIn } from '../core/scopes.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { withinIssueLimit } from './issue-limit.ts'
import { ACCESS_TOKEN_LIFE } from './lifetimes.ts'
import { tokenResponse } from './token-response.ts'

/** Whom a token of the playground stands for: the developer, or the application itself. */
type PlaygroundTokenRequest = { application_id: string; stands_for: 'me' | 'application' }

type Values = [hash: Buffer, clientId: string, userId: string | null, grantId: string | null, createdAt: string]
type Issued = { scope: string }

const OF_WHOM = `case when $3::text is null then ${apiScopesIn('scopes')} else scopes end`

/** The grant of a person ends with its token: it is a consent to try something, and not one that stays. */
const issue = statement<Values, Issued>(`
  with client as (
    select id, ${OF_WHOM} as scopes from clients
     where id = $2 and disabled_at is null and not dpop_bound and cardinality(${OF_WHOM}) > 0
  ), new_grant as (
    insert into grants (id, client_id, user_id, scopes, created_at, expires_at)
    select $4, id, $3, scopes, $5::timestamptz, statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}'
      from client where $4::text is not null
  )
  insert into access_tokens (hash, client_id, user_id, grant_id, scopes, expires_at)
  select $1, id, $3, $4, scopes, statement_timestamp() + interval '${ACCESS_TOKEN_LIFE}' from client
  returning array_to_string(scopes, ' ') as scope`)

/**
 * A token of an application of the caller's, for an hour, with all its scopes: for the person who asks, or for the application. It is no
 * more than its owner can have by a key, or by allowing the application. Throws `not_found`; `invalid_request` for an application that
 * is stopped, or binds its tokens to a key; `rate_limited`.
 */
export async function issuePlaygroundToken(
  ctx: UserContext & CalledContext,
  { application_id: clientId, stands_for: standsFor }: PlaygroundTokenRequest,
): Promise<TokenResponse> {
  const { userId } = ctx.principal
  return withinIssueLimit(ctx, rateLimits.userTokens, `${clientId} ${userId}`, () =>
    transact(ctx, async (tx) => {
      await requireApplication(tx, clientId, 'no key update')
      return standsFor === 'me'
        ? issueFor(tx, clientId, userId, newId('grant', tx.now()))
        : issueFor(tx, clientId, null, null)
    }),
  )
}

async function issueFor(
  tx: InTransaction<UserContext & CalledContext>,
  clientId: string,
  userId: string | null,
  grantId: string | null,
): Promise<TokenResponse> {
  const token = mint('access')
  const [issued] = await issue(tx.db, sha256(token), clientId, userId, grantId, tx.now().toISOString())
  if (!issued) throw new Problem('invalid_request', UNUSABLE)
  await audit(tx, {
    actor: actorBehind(tx.principal),
    action: 'token.issued',
    userId,
    clientId,
    ...(grantId && { targetId: grantId }),
    details: { scopes: issued.scope.split(' ') },
  })
  return tokenResponse(token, issued.scope, { jkt: null })
}

const UNUSABLE = 'application_id: is stopped, has no scope, or binds its tokens to a key, which no page of ours holds.'
