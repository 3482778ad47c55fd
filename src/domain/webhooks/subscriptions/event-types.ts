import type { Principal } from '../../core/actor.ts'
import { Problem } from '../../core/problem.ts'
import type { Scope } from '../../core/scopes.ts'
import { requireKnownTypes } from '../../events/known-types.ts'
import { type EventType, isModerationType } from '../../events/types.ts'

/** With one of them there is something to hear of moderation; that of reading first. */
export const moderationScopes = ['moderation:read', 'moderation:write'] as const satisfies readonly Scope[]

/**
 * The requested types, each once. Throws `unknown_event_type` with a list of all. For `moderation.*`, which is for the
 * channel's own user alone, throws `insufficient_scope` or, to whom has the scope, `user_token_required`.
 */
export function requireEventTypes(principal: Principal, asked: readonly string[]): EventType[] {
  const types = requireKnownTypes('event_types', asked)
  if (types.some(isModerationType)) requireModerator(principal)
  return types
}

function requireModerator(principal: Principal) {
  if (!moderationScopes.some((scope) => principal.scopes.includes(scope))) {
    const wanted = moderationScopes.map((scope) => `"${scope}"`).join(' or ')
    throw new Problem('insufficient_scope', `event_types: moderation events need the scope ${wanted}.`, {
      scopes: moderationScopes,
    })
  }
  if (principal.kind === 'user') return
  throw new Problem('user_token_required', 'event_types: moderation events need a token that stands for a user.')
}
