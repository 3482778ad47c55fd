import type { CalledContext } from '../core/context.ts'
import { authenticateClient, type Client } from './client/authenticate-client.ts'
import { type ClientFields, presentedCredentials } from './client/presented-credentials.ts'
import { type Inspection, inspectCredential } from './inspect.ts'
import { ACCESS_TOKEN_S } from './lifetimes.ts'
import { omitEmpty } from './parameters.ts'
import type { Introspection } from './resources.ts'

export type IntrospectRequest = ClientFields & { token: string }

/**
 * RFC 7662: what a client's own token can do and how long it lives. Whatever else is sent, also what is another client's, is not
 * active, and nothing more is said. Throws what the authentication of the client throws.
 */
export async function introspectToken(ctx: CalledContext, request: IntrospectRequest): Promise<Introspection> {
  const client = await authenticateClient(ctx, presentedCredentials(ctx.caller, omitEmpty(request)))
  const found = await inspectCredential(ctx, request.token)
  const isToken = found.kind === 'access_token' || found.kind === 'refresh_token'
  return isToken && found.active && found.client_id === client.id ? describe(ctx, client, found) : { active: false }
}

function describe({ publicUrl }: CalledContext, { clientId }: Client, found: Inspection): Introspection {
  const { kind, user_id: sub, username, scopes, expires_at, dpop_jkt: jkt, resource } = found
  const exp = Math.floor(new Date(expires_at ?? 0).getTime() / 1000) // a token always has one
  return {
    active: true,
    client_id: clientId,
    scope: scopes.join(' '),
    iss: publicUrl,
    aud: publicUrl + (resource ?? ''),
    exp,
    ...(kind === 'access_token' && { iat: exp - ACCESS_TOKEN_S, token_type: jkt === null ? 'Bearer' : 'DPoP' }),
    ...(sub !== null && { sub }),
    ...(username !== null && { username }),
    ...(jkt !== null && { cnf: { jkt } }),
  }
}
