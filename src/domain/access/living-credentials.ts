import { statement } from '../../db/statement.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { sha256Hex } from '../core/digest.ts'
import type { Scope } from '../core/scopes.ts'
import { bearerOf } from './admission.ts'
import { SESSION_ENDS_AT, SESSION_IS_ALIVE } from './sessions.ts'
import { isWellFormed } from './token-format.ts'

/** Where a credential is kept, and under which hash (hexadecimal). */
export type KeptCredential = { kind: 'token' | 'key' | 'overlay' | 'session'; hash: string }

/**
 * A credential that has not ended. `scopes` is null where it has all; `livesMs` is how long it lives at most; `dependsOn` are
 * the application, user and grant with which it ends, as their ends are announced.
 */
export type LivingCredential = { scopes: readonly Scope[] | null; livesMs: number | null; dependsOn: readonly string[] }

/** Which credential a caller presented. */
export function keptCredentialOf({ authorization, session = '' }: Caller): KeptCredential {
  if (authorization === undefined) return { kind: 'session', hash: sha256Hex(session) }
  const { token } = bearerOf(authorization)
  const kind = (['key', 'overlay'] as const).find((one) => isWellFormed(one, token)) ?? 'token'
  return { kind, hash: sha256Hex(token) }
}

/** As the end of a credential itself is announced. */
export const announcedNameOf = ({ hash }: KeptCredential): string => Buffer.from(hash, 'hex').toString('base64')

type Row = {
  hash: string
  scopes: Scope[] | null
  lives_ms: number | null
  client_id: string | null
  user_id: string | null
  grant_id: string | null
}
type Select = ReturnType<typeof statement<[hashes: string[]], Row>>

const livesMs = (expiresAt: string) =>
  `extract(epoch from ${expiresAt} - statement_timestamp())::float8 * 1000 as lives_ms`
const asked = (hash: string) => `${hash} = decode(asked.hash, 'hex')`

/** The conditions are those by which each kind is admitted (`authenticate.ts`, `authenticate-overlay.ts`, `sessions.ts`). */
const selects: Record<KeptCredential['kind'], Select> = {
  token: statement(`
    select asked.hash, array(select unnest(t.scopes) intersect select unnest(c.scopes)) as scopes, ${livesMs('t.expires_at')},
           t.client_id, t.user_id, t.grant_id
      from unnest($1::text[]) asked (hash)
      join access_tokens t on ${asked('t.hash')}
      join clients c on c.id = t.client_id
      left join grants g on g.id = t.grant_id
      left join users u on u.id = t.user_id
     where t.revoked_at is null and t.expires_at > statement_timestamp()
       and c.disabled_at is null and g.revoked_at is null and u.disabled_at is null`),
  key: statement(`
    select asked.hash, k.scopes, ${livesMs('k.expires_at')}, k.client_id, null as user_id, null as grant_id
      from unnest($1::text[]) asked (hash)
      join api_keys k on ${asked('k.hash')}
      join clients c on c.id = k.client_id
     where k.revoked_at is null and c.disabled_at is null
       and (k.expires_at is null or k.expires_at > statement_timestamp())`),
  overlay: statement(`
    select asked.hash, null::text[] as scopes, null::float8 as lives_ms,
           null as client_id, o.channel_id as user_id, null as grant_id
      from unnest($1::text[]) asked (hash)
      join overlay_keys o on ${asked('o.hash')}
      join users u on u.id = o.channel_id
     where u.disabled_at is null`),
  session: statement(`
    select asked.hash, null::text[] as scopes, ${livesMs(SESSION_ENDS_AT)},
           null as client_id, s.user_id, null as grant_id
      from unnest($1::text[]) asked (hash)
      join login_sessions s on ${asked('s.secret_hash')}
      join users u on u.id = s.user_id
     where u.disabled_at is null and ${SESSION_IS_ALIVE}`),
}

/** Those of some credentials of one kind that have not ended, by their hashes. To be asked about is no use of a session. */
export async function findLiving(
  { db }: Pick<Context, 'db'>,
  kind: KeptCredential['kind'],
  hashes: string[],
): Promise<Map<string, LivingCredential>> {
  const rows = await selects[kind](db, hashes)
  return new Map(rows.map((row) => [row.hash, livingOf(row)]))
}

function livingOf({ scopes, lives_ms: livesMs, client_id, user_id, grant_id }: Row): LivingCredential {
  return { scopes, livesMs, dependsOn: [client_id, user_id, grant_id].filter((id) => id !== null) }
}
