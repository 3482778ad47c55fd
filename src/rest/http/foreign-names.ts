import { Problem } from '../../domain/core/problem.ts'
import type { RestRoute } from '../openapi/routes.ts'
import { shownName } from './bodies/form.ts'

const THING =
  '(?:broadcaster|streamer|channel|chat_?room|room|user|sender|owner|moderator|creator|category|game|livestream|stream|message|event|subscription)s?'
/** Of what or for whom something is asked: `user_id`, `broadcaster_user_id`, `channel`. */
const subject = new RegExp(`^(?:${THING}_)*${THING}(?:_(?:id|name|login|slug|username|type)s?)?$`)
/** How other interfaces choose, order and page what a list has. */
const choice =
  /^(?:ids?|slugs?|logins?|names?|usernames?|titles?|languages?|tags?|types?|status|(?:is_)?live|featured|q|query|search|filters?|sort|sort_by|order|order_by|page|pages|per_page|page_(?:size|number|token)|offset|skip|count|size|first|last|before|after|since|until|from|to|start|end|(?:started|ended|created|updated)_(?:at|after|before))$/
/** For whom something is done, in a body. */
const PERSON = '(?:broadcaster|streamer|channel|chat_?room|room|user|sender|owner|moderator|creator)s?'
const recipient = new RegExp(`^(?:${PERSON}_)*${PERSON}(?:_(?:id|name|login|slug|username|type)s?)?$`)
/** What would make a ban or a subscription another one than it looks like. */
const conditional = /^\/v1\/(?:moderation\/bans|events\/subscriptions)$/
const condition = /^(?:filters?|conditions?|duration|expires_(?:at|in)|secret)$/

/**
 * Throws `invalid_request` for a name that the operation does not take, but that looks as if it chose what is answered or for
 * whom something is done: ignored, as other unknown names are, it would lead to an answer that means something else. OAuth has its own rule (RFC 6749,
 * section 3.2).
 */
export function refuseForeign(route: RestRoute, given: object): void {
  const { fields } = route
  for (const name in given) {
    if (!fields.includes(name) && looksMeant(route, name)) throw unknown(name, fields)
  }
}

function looksMeant({ operation: { path, envelope }, form }: RestRoute, given: string): boolean {
  if (path.startsWith('/oauth/')) return false
  const name = plainName(given)
  if (form) return recipient.test(name) || (conditional.test(path) && condition.test(name))
  return (envelope === 'page' || envelope === 'feed') && (subject.test(name) || choice.test(name))
}

/** `userId`, `user-id`, `user_id[]` and `filter[user_id]` as this service would write them. */
function plainName(name: string): string {
  const [start = ''] = name.slice(0, NAME_LENGTH_MAX).split('[')
  return start
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll('-', '_')
}

const NAME_LENGTH_MAX = 64

const unknown = (name: string, fields: readonly string[]) =>
  new Problem('invalid_request', `${shownName(name)}: is not taken here. This operation takes ${fields.join(', ')}.`)
