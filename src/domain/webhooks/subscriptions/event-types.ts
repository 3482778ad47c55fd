import type { Principal } from '../../core/actor.ts'
import { Problem } from '../../core/problem.ts'
import type { Scope } from '../../core/scopes.ts'
import { type EventType, isModerationType, subscribableTypes } from '../../events/types.ts'

const moderationScopes = ['moderation:read', 'moderation:write'] as const satisfies readonly Scope[]
const SHOWN_LENGTH = 100

/**
 * The requested types, each once. Throws `unknown_event_type` with a list of all. For `moderation.*`, which is for the
 * channel's own user alone, throws `user_token_required` or `insufficient_scope`.
 */
export function requireEventTypes(principal: Principal, asked: readonly string[]): EventType[] {
  const types = [...new Set(asked)]
  const unknown = types.find((type) => !isSubscribable(type))
  if (unknown !== undefined) throw unknownEventType(unknown)
  if (types.some(isModerationType)) requireModerator(principal)
  return types.filter(isSubscribable)
}

const isSubscribable = (type: string): type is EventType => (subscribableTypes as readonly string[]).includes(type)

function requireModerator(principal: Principal) {
  if (principal.kind !== 'user') {
    throw new Problem('user_token_required', 'event_types: moderation events need a token that stands for a user.')
  }
  if (moderationScopes.some((scope) => principal.scopes.includes(scope))) return
  const wanted = moderationScopes.map((scope) => `"${scope}"`).join(' or ')
  throw new Problem('insufficient_scope', `event_types: moderation events need the scope ${wanted}.`, {
    scopes: moderationScopes,
  })
}

function unknownEventType(type: string) {
  const shown = type.length > SHOWN_LENGTH ? `${type.slice(0, SHOWN_LENGTH)}…` : type
  return new Problem(
    'unknown_event_type',
    `event_types: "${shown}" is no event type; there are ${subscribableTypes.join(', ')}.`,
  )
}
