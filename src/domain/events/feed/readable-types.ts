import type { Reader } from '../../core/actor.ts'
import { Problem } from '../../core/problem.ts'
import type { Scope } from '../../core/scopes.ts'
import { requireKnownTypes } from '../known-types.ts'
import { isModerationType, type SubscribableType, subscribableTypes } from '../types.ts'

/** A type is readable with any one of the scopes of what it carries. */
export const readScopes: Record<SubscribableType, readonly Scope[]> = {
  'livestream.started': ['livestream:read'],
  'livestream.updated': ['livestream:read'],
  'livestream.ended': ['livestream:read'],
  'chat.message.sent': ['chat:read'],
  'chat.message.deleted': ['chat:read'],
  'moderation.ban.created': ['moderation:read', 'moderation:write'],
  'moderation.ban.removed': ['moderation:read', 'moderation:write'],
  'channel.updated': ['channel:read'],
}

/** The scopes with one of which there is something to read. */
export const feedScopes = [
  'livestream:read',
  'chat:read',
  'channel:read',
  'moderation:read',
  'moderation:write',
] as const

/**
 * The types that somebody reads: those asked for, or all that they may. Throws `unknown_event_type`, `user_token_required` for
 * moderation and an application, `forbidden` for what an overlay key was not made for, and `insufficient_scope` for a type that
 * they may not read or when there is none at all.
 */
export function requireReadable(reader: Reader, asked: string | undefined): SubscribableType[] {
  if (asked === undefined) {
    const types = subscribableTypes.filter((type) => refusalOf(reader, type) === undefined)
    if (types.length === 0) throw insufficient(feedScopes, 'The feed needs')
    return types
  }
  const types = requireKnownTypes('types', asked.split(','))
  for (const type of types) {
    const refusal = refusalOf(reader, type)
    if (refusal) throw refusal
  }
  return types
}

function refusalOf(reader: Reader, type: SubscribableType): Problem | undefined {
  if (reader.kind === 'overlay') {
    if (reader.types.includes(type)) return undefined
    return new Problem('forbidden', `types: "${type}" is not among those of this overlay key.`)
  }
  if (!readScopes[type].some((scope) => reader.scopes.includes(scope))) {
    return insufficient(readScopes[type], `types: "${type}" needs`)
  }
  if (reader.kind === 'user' || !isModerationType(type)) return undefined
  return new Problem('user_token_required', `types: "${type}" needs a token that stands for a user.`)
}

function insufficient(scopes: readonly Scope[], who: string) {
  return new Problem('insufficient_scope', `${who} the scope ${scopes.map((scope) => `"${scope}"`).join(' or ')}.`, {
    scopes,
  })
}
