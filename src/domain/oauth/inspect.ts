import { instantText, statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import { applicationsOf, membersWith, roleWanted } from '../access/ownership.ts'
import { isWellFormed } from '../access/token-format.ts'
import type { Context, UserContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import type { Scope } from '../core/scopes.ts'

/** What a credential is and whether it is valid; never the credential itself. */
export type Inspection = {
  kind: 'access_token' | 'refresh_token' | 'api_key' | 'client_secret' | 'overlay_key' | 'stream_key' | 'unknown'
  active: boolean
  client_id: string | null
  user_id: string | null
  username: string | null
  scopes: Scope[]
  expires_at: string | null
  /** The key and the resource that a token is bound to. */
  dpop_jkt: string | null
  resource: ResourcePath | null
}

const lookUp = (columns: string, from: string, isDead: string) =>
  statement<[hash: Buffer], Omit<Inspection, 'kind'>>(`
    select ${columns}, not (${isDead}) as active from ${from} where x.hash = $1`)

/** Its application is stopped, or its own time is over. */
const ENDED = 'c.disabled_at is not null or coalesce(x.expires_at <= statement_timestamp(), false)'
const UNBOUND = 'null as dpop_jkt, null as resource'
const EXPIRY = `${instantText('x.expires_at')} as expires_at`

const kinds = {
  access: {
    kind: 'access_token',
    find: lookUp(
      `x.client_id, x.user_id, u.username, x.scopes, x.dpop_jkt, x.resource, ${EXPIRY}`,
      'access_tokens x join clients c on c.id = x.client_id left join users u on u.id = x.user_id left join grants g on g.id = x.grant_id',
      `${ENDED} or x.revoked_at is not null or g.revoked_at is not null or u.disabled_at is not null`,
    ),
  },
  refresh: {
    kind: 'refresh_token',
    find: lookUp(
      `g.client_id, g.user_id, u.username, g.scopes, g.dpop_jkt, g.resource, ${EXPIRY}`,
      'refresh_tokens x join grants g on g.id = x.grant_id join clients c on c.id = g.client_id join users u on u.id = g.user_id',
      `${ENDED} or x.consumed_at is not null or g.revoked_at is not null or u.disabled_at is not null`,
    ),
  },
  key: {
    kind: 'api_key',
    find: lookUp(
      `x.client_id, null as user_id, null as username, x.scopes, ${UNBOUND}, ${EXPIRY}`,
      'api_keys x join clients c on c.id = x.client_id',
      `${ENDED} or x.revoked_at is not null`,
    ),
  },
  secret: {
    kind: 'client_secret',
    find: lookUp(
      `x.client_id, null as user_id, null as username, c.scopes, ${UNBOUND}, ${EXPIRY}`,
      'client_secrets x join clients c on c.id = x.client_id',
      ENDED,
    ),
  },
  overlay: {
    kind: 'overlay_key',
    find: lookUp(
      `null as client_id, x.channel_id as user_id, u.username, '{}'::text[] as scopes, ${UNBOUND}, null as expires_at`,
      'overlay_keys x join users u on u.id = x.channel_id',
      'u.disabled_at is not null',
    ),
  },
  stream: {
    kind: 'stream_key',
    find: lookUp(
      `null as client_id, x.channel_id as user_id, u.username, '{}'::text[] as scopes, ${UNBOUND}, null as expires_at`,
      'stream_keys x join users u on u.id = x.channel_id',
      'u.disabled_at is not null',
    ),
  },
} as const

const isOfPerson = statement<[clientId: string, userId: string, members: string[]], { id: string }>(
  `select id from clients where id = $1 and id = any (${applicationsOf('$2', '$3')})`,
)

/**
 * The same for a user, limited to credentials of the user's account and applications. Any other is `unknown`, so that
 * nobody can test here whether a found credential is valid.
 */
export async function inspectOwnCredential(ctx: UserContext, credential: string): Promise<Inspection> {
  const found = await inspectCredential(ctx, credential)
  const { userId } = ctx.principal
  if (found.user_id === userId) return found
  const [theirs] = await isOfPerson(ctx.db, found.client_id ?? '', userId, membersWith(roleWanted(ctx)))
  return theirs ? found : nothing
}

/** For operators. What is not a credential of this service, or was never issued, is `unknown`. */
export async function inspectCredential({ db }: Context, credential: string): Promise<Inspection> {
  for (const name of ['access', 'refresh', 'key', 'secret', 'overlay', 'stream'] as const) {
    if (!isWellFormed(name, credential)) continue
    const { kind, find } = kinds[name]
    const [found] = await find(db, sha256(credential))
    if (found) return { kind, ...found }
  }
  return nothing
}

const nothing: Inspection = {
  kind: 'unknown',
  active: false,
  client_id: null,
  user_id: null,
  username: null,
  scopes: [],
  expires_at: null,
  dpop_jkt: null,
  resource: null,
}
