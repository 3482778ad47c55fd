import type { Database } from '../../db/client.ts'
import { instantText, statement } from '../../db/statement.ts'
import { applicationScopes } from '../../shared/scope-descriptions.ts'
import { applicationsOf, membersWith, roleWanted } from '../access/ownership.ts'
import type { UserPrincipal } from '../core/actor.ts'
import type { ActorContext } from '../core/context.ts'
import { createdAtOf } from '../core/ids.ts'
import { Problem, type ProblemCode } from '../core/problem.ts'
import { problems } from '../core/problem-table.ts'
import { readInTurn } from '../core/turns/take-turn.ts'
import { isOwnRequestId, isRequestId, OWN_REQUEST_IDS, REQUEST_ID_FORM } from './request-id.ts'
import type { ExplainedRequest } from './resources.ts'

/** An identifier that a caller chose may have many answers: the newest ones are shown. */
const ANSWERS_MAX = 20

type Found = Omit<ExplainedRequest, 'at' | 'cause' | 'remedy'> & {
  id: string
  is_stopped: boolean
  key_end: 'expired' | 'revoked' | null
}

const selectAnswers = <Rest extends unknown[]>(whose: string, maySeeKeys = 'true') =>
  statement<[requestId: string, count: number, whose: string, ...Rest], Found>(`
select log.id, log.request_id, log.operation, log.status, log.code, log.message, log.duration_ms, log.credential_id,
       abbrev(log.address) as address, log.sent, clients.id as application_id, clients.name as application_name,
       clients.disabled_at is not null as is_stopped,
       case when key.revoked_at is not null then 'revoked' when key.expires_at <= statement_timestamp() then 'expired' end as key_end,
       case when key.id is not null and ${maySeeKeys} then json_build_object('id', key.id, 'name', key.name, 'last4', key.last4,
         'expires_at', ${instantText('key.expires_at')}, 'revoked_at', ${instantText('key.revoked_at')}) end as key
  from clients
 cross join lateral (
   select * from request_log where request_id = $1 and client_id = clients.id order by id desc limit $2::int) as log
  left join api_keys key on key.id = log.credential_id
 where ${whose} order by log.id desc limit $2::int`)

/** Keys are for developers: a viewer is told which it was by its identifier alone. */
const answersOfPerson = selectAnswers<[members: string[], developers: string[]]>(
  `clients.id = any (${applicationsOf('$3', '$4')})`,
  `clients.id = any (${applicationsOf('$3', '$5')})`,
)
const answersOfApplication = selectAnswers('clients.id = $3')
/** By the grants that somebody has given an application: what it asked in their name. */
const answersForUser = selectAnswers<[userId: string]>(
  'clients.id = $3 and log.credential_id = any (array(select id from grants where client_id = $3 and user_id = $4))',
)
/** The operator's look-up begins with the request: nobody else's may, or a common identifier would cost them the rows of all. */
const answersOfAll = selectAnswers(
  `$3 = '' and clients.id = any (array(select distinct client_id from request_log where request_id = $1 limit 100))`,
)

/**
 * The answers to a request by its `X-Request-Id`, newest first: of applications of the person who asks, or of the application whose
 * credential asks, which is not told from where it was made and what was sent; by a token for a user what it asked in their name.
 * Throws `invalid_request` for what can be no identifier; `not_found`, alike for what was not kept and what is somebody else's.
 */
export async function explainRequest(
  ctx: ActorContext,
  { request_id: requestId }: { request_id: string },
): Promise<ExplainedRequest[]> {
  if (!isRequestId(requestId)) throw new Problem('invalid_request', `request_id: must be ${REQUEST_ID_FORM}.`)
  const found = await readInTurn(ctx, (db) => {
    const { principal } = ctx
    switch (principal.kind) {
      case 'operator':
        return answersOfAll(db, requestId, ANSWERS_MAX, '')
      case 'application':
        return answersOfApplication(db, requestId, ANSWERS_MAX, principal.clientId)
      case 'user':
        return answersToUser(ctx, db, requestId, principal)
    }
  })
  const asker = askerIn(ctx)
  if (found.length > 0) return found.map((one) => explained(one, asker === 'operator' || asker === 'person'))
  throw new Problem('not_found', `request_id: ${NOT_KEPT[asker]} ${isOwnRequestId(requestId) ? '' : NOT_OURS}${KEPT}`)
}

function answersToUser(ctx: ActorContext, db: Database, requestId: string, { clientId, userId }: UserPrincipal) {
  if (clientId !== null) return answersForUser(db, requestId, ANSWERS_MAX, clientId, userId)
  const [readers, developers] = [membersWith(roleWanted(ctx)), membersWith('developer')]
  return answersOfPerson(db, requestId, ANSWERS_MAX, userId, readers, developers)
}

/** A `person` is signed in; a `user` is who a token stands for. */
function askerIn({ principal }: ActorContext): keyof typeof NOT_KEPT {
  return principal.kind === 'user' && principal.clientId === null ? 'person' : principal.kind
}

const NOT_KEPT = {
  operator: 'no answer with this identifier is kept.',
  application: 'no answer to this application with this identifier is kept.',
  user: 'no answer to this application, asked by a token for you, with this identifier is kept.',
  person: 'no answer to an application of yours with this identifier is kept.',
} as const
const NOT_OURS = `The service gives ${OWN_REQUEST_IDS}; this one you would have sent yourself. `
/** What there is, why there may be nothing, and what to do then. */
const KEPT =
  'Failed requests of applications are kept, from a second or two after the answer on, for 7 days; of the others a sample. A request whose credential was missing or unknown (401), or whose path does not exist (404), is of no application, so nothing of it is kept: its answer says all that is known, and /docs/guides/errors what to do about it.'

function explained(row: Found, isForOwner: boolean): ExplainedRequest {
  const { id, code, address, sent, is_stopped: _, key_end: __, ...found } = row
  const facts = code !== null && code in problems ? problems[code as ProblemCode] : undefined
  return {
    ...found,
    at: createdAtOf(id).toISOString(),
    code,
    cause: facts?.cause ?? null,
    remedy: facts?.remedy ?? null,
    ...ofCredential(row),
    address: isForOwner ? address : null,
    sent: isForOwner ? sent : null,
  }
}

/** What the table of errors cannot know, as it depends on the credential. */
function ofCredential(row: Found): Partial<Pick<ExplainedRequest, 'cause' | 'remedy'>> {
  if (row.code === 'insufficient_scope' && needsPerson(row)) return { remedy: NEEDS_PERSON }
  if (row.code !== 'invalid_token') return {}
  const cause =
    !row.is_stopped && row.key_end && `The API key ${row.key_end === 'revoked' ? 'was revoked' : 'has expired'}.`
  return { ...(cause && { cause }), remedy: remedyOfEnded(row) }
}

const NEEDS_PERSON =
  'No API key and no token of the application itself can do this: it takes the token of somebody who logs in and allows the application this scope.'

/** Whether the scopes that its message names are of no use without a user, of whom the credential knows nothing. */
function needsPerson({ credential_id: id, message }: Found): boolean {
  const named = [...(message ?? '').matchAll(/"([\w:]+)"/g)].map(([, scope]) => scope ?? '')
  return (
    !id?.startsWith('grt_') && named.length > 0 && !named.some((scope) => applicationScopes.has(scope as 'chat:read'))
  )
}

function remedyOfEnded({ credential_id: id, is_stopped: isStopped }: Found): string {
  if (isStopped) return 'The operator of the platform has stopped the application: ask there what has to change.'
  if (id === null) return 'Ask the token endpoint for another one: a token of the application itself is not refreshed.'
  if (id.startsWith('grt_'))
    return 'Refresh the token. If that is refused too, its user has to allow the application again.'
  return 'An API key is not refreshed: make another one for the application, and put it where this one is used.'
}
