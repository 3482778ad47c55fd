import { statement } from '../../../db/statement.ts'
import { HOUR_MS } from '../../../time/durations.ts'
import { applicationsOf, membersWith, roleWanted } from '../../access/ownership.ts'
import type { UserContext } from '../../core/context.ts'
import { createdAtOf, isId, type Kind, lowerBound } from '../../core/ids.ts'
import { readInTurn } from '../../core/turns/take-turn.ts'
import { urlToRead } from '../../webhooks/subscriptions/shown-url.ts'
import type { SearchHit } from './resources.ts'

const HITS_MAX = 10
/** Of an account's subscriptions so many are looked through for a text. */
const SUBSCRIPTIONS_MAX = 1_000

type Find = (userId: string, text: string, members: string[]) => Parameters<typeof readInTurn<SearchHit[]>>[1]
type Values = [userId: string, text: string, members: string[]]

const own = applicationsOf('$1', '$3')

const hits = (text: string) => statement<Values, SearchHit>(`${text} limit ${HITS_MAX}`)

const applicationById = hits(`
select 'application' as kind, id, name as title, null as detail, id as application_id from clients
 where id = $2 and id = any (${own})`)

const subscriptionById = hits(`
select 'subscription' as kind, s.id, ${urlToRead('s.url')} as title, c.name as detail, c.id as application_id
  from webhook_subscriptions s join clients c on c.id = s.client_id
 where s.id = $2 and c.id = any (${own}) and s.deleted_at is null`)

const keyById = hits(`
select 'key' as kind, k.id, k.name as title, c.name as detail, c.id as application_id
  from api_keys k join clients c on c.id = k.client_id where k.id = $2 and c.id = any (${own})`)

const deliveryById = hits(`
select 'delivery' as kind, d.id, d.type as title, ${urlToRead('s.url')} as detail, c.id as application_id
  from (select id, type, subscription_id from webhook_deliveries where id = $2
        union all select id, type, subscription_id from webhook_deliveries_done where id = $2) as d
  join webhook_subscriptions s on s.id = d.subscription_id
  join clients c on c.id = s.client_id
  where c.id = any (${own}) and s.deleted_at is null`)

/** In one's own room. */
const messageById = hits(`
select 'message' as kind, m.id, m.content as title, m.user_name as detail, null as application_id
  from chat_messages m where m.id = $2 and m.channel_id = $1 and $3::text[] is not null`)

/** The deliveries of an event are queued when it happens, or soon after it when it has thousands of receivers. */
const deliveriesOfEvent = statement<[...Values, from: string, to: string], SearchHit>(`
select 'delivery' as kind, d.id, d.type as title, ${urlToRead('s.url')} as detail, s.client_id as application_id
  from (select s.id, s.url, s.client_id from clients c join webhook_subscriptions s on s.client_id = c.id
         where c.id = any (${own}) and s.deleted_at is null order by s.id desc limit ${SUBSCRIPTIONS_MAX}) as s
 cross join lateral (
   (select id, type from webhook_deliveries where event_id = $2 and subscription_id = s.id limit 1)
   union all
   (select id, type from webhook_deliveries_done
     where subscription_id = s.id and id >= $4 and id < $5 and event_id = $2 limit 1)) as d
 order by d.id desc limit ${HITS_MAX}`)

const byText = hits(`
select * from (
  (select 'application' as kind, id, name as title, null as detail, id as application_id from clients
    where id = any (${own}) and position(lower($2) in lower(name)) > 0 order by id limit ${HITS_MAX})
  union all
  (select 'subscription', s.id, ${urlToRead('s.url')}, coalesce(s.description, s.name), s.client_id
     from (select s.*, c.name from clients c join webhook_subscriptions s on s.client_id = c.id
            where c.id = any (${own}) and s.deleted_at is null order by s.id desc limit ${SUBSCRIPTIONS_MAX}) as s
    where position(lower($2) in lower(concat_ws(' ', ${urlToRead('s.url')}, s.description))) > 0 order by s.id limit ${HITS_MAX})
  union all
  (select 'request', $2, concat_ws(' ', log.status, log.code), log.operation, log.client_id
     from clients c cross join lateral (
       select * from request_log where request_id = $2 and client_id = c.id order by id desc limit 1) as log
    where c.id = any (${own}) order by log.id desc limit 1)) as found`)

const byIdentifier: Partial<Record<Kind, Find>> = {
  client: (userId, id, members) => (db) => applicationById(db, userId, id, members),
  subscription: (userId, id, members) => (db) => subscriptionById(db, userId, id, members),
  key: (userId, id) => (db) => keyById(db, userId, id, membersWith('developer')), // it leads to the page of keys
  delivery: (userId, id, members) => (db) => deliveryById(db, userId, id, members),
  message: (userId, id, members) => (db) => messageById(db, userId, id, members),
  event: (userId, id, members) => (db) => {
    const at = createdAtOf(id)
    const until = new Date(at.getTime() + HOUR_MS)
    return deliveriesOfEvent(db, userId, id, members, lowerBound('delivery', at), lowerBound('delivery', until))
  },
}

/**
 * What of the caller's has this identifier, or this text in its name or URL; at most ten. Somebody else's is not found. An event is found
 * by its deliveries.
 */
export async function searchOwn(ctx: UserContext, { text }: { text: string }): Promise<SearchHit[]> {
  const kind = (Object.keys(byIdentifier) as Kind[]).find((one) => isId(one, text))
  const find: Find =
    (kind && byIdentifier[kind]) ?? ((userId, words, members) => (db) => byText(db, userId, words, members))
  return readInTurn(ctx, find(ctx.principal.userId, text, membersWith(roleWanted(ctx))))
}
