import type { JsonObject } from './document-responses.ts'
import type { RestRoute } from './routes.ts'

/**
 * What an operation asks for. Any one scope of several is enough, hence one entry each. What needs a user cannot be done with
 * an API key. Where a client may name itself in the body, it may do so by Basic instead.
 */
export function securityOf({ access, fields, operation }: RestRoute): JsonObject[] {
  if (access?.kind === 'cron') return [{ cronSecret: [] }, {}]
  if (access?.kind !== 'scopes') return fields.includes('client_secret') ? [{ clientBasic: [] }, {}] : []
  const { scopes, by } = access
  const byToken = scopes.map((scope) => ({ oauth2: [scope] }))
  if (by === 'user') return byToken
  return [...byToken, { apiKey: [] }, ...(operation.envelope === 'feed' ? [{ overlayKey: [] }] : [])]
}
