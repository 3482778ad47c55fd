import { Problem } from '../core/problem.ts'
import { type SubscribableType, subscribableTypes } from './types.ts'

const SHOWN_LENGTH = 100

/** The types that a field names, each once. Throws `unknown_event_type` with a list of all. */
export function requireKnownTypes(field: string, asked: readonly string[]): SubscribableType[] {
  const types = [...new Set(asked)]
  const unknown = types.find((type) => !isSubscribable(type))
  if (unknown !== undefined) throw unknownEventType(field, unknown)
  return types.filter(isSubscribable)
}

const isSubscribable = (type: string): type is SubscribableType =>
  (subscribableTypes as readonly string[]).includes(type)

function unknownEventType(field: string, type: string) {
  const shown = type.length > SHOWN_LENGTH ? `${type.slice(0, SHOWN_LENGTH)}…` : type
  return new Problem(
    'unknown_event_type',
    `${field}: "${shown}" is no event type; there are ${subscribableTypes.join(', ')}.`,
  )
}
