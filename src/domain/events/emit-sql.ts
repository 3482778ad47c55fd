import { isHearing, subscriptionOf } from './consent.ts'
import { fileOf, ownerOf } from './receiver-pace.ts'

/** An event with more receivers is written as one marker, which the worker expands in steps. */
const DIRECT_RECEIVERS_MAX = 500

/** SQL expressions, mostly placeholders, from which an emission is made. `cause`: a query of at most one `channel_id`. */
type EmissionParts = Record<
  'cause' | 'id' | 'type' | 'at' | 'beforeChannel' | 'beforeSequence' | 'afterSequence',
  string
>

/**
 * The common table expressions that write an event, so that any statement can emit one together with its change: all or
 * nothing, in one round trip. They are `sequence`, `event`, `receivers`, `deliveries` and `fanout`. The channel's sequence
 * stays locked until the commit, which makes the numbers gapless and ordered; so emit last in a transaction.
 */
export function emission({ cause, id, type, at, beforeChannel, beforeSequence, afterSequence }: EmissionParts): string {
  return `
sequence as (
  insert into channel_sequences as s (channel_id, last) select cause.channel_id, 1 from (${cause}) cause
  on conflict (channel_id) do update set last = s.last + 1
  returning channel_id, last
), event as (
  insert into events (id, channel_id, sequence, type, occurred_at, payload)
  select ${id}::text, channel_id, last, ${type}, ${at}::timestamptz,
    ${beforeChannel}::text || channel_id || ${beforeSequence}::text || last || ${afterSequence}::text from sequence
  returning id, channel_id, type, occurred_at
), receivers as materialized (
  select types.subscription_id, ${ownerOf('s')} as owner_id, ${fileOf('s')} as pace from event
  join webhook_subscription_types types on types.type = event.type and types.channel_id = any (array[event.channel_id, '*'])
  join ${subscriptionOf('types.subscription_id')} s on ${isHearing('s')}
  limit ${DIRECT_RECEIVERS_MAX + 1}
), deliveries as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, owner_id, pace, due_at, created_at)
  select ${deliveryId('event.id', 'receivers.subscription_id')}, event.id, event.type, receivers.subscription_id, receivers.owner_id,
    receivers.pace, statement_timestamp(), event.occurred_at
  from event, receivers where (select count(*) from receivers) <= ${DIRECT_RECEIVERS_MAX}
  on conflict (id) do nothing returning id
), fanout as (
  insert into webhook_fanouts (event_id, type, channel_id, occurred_at)
  select id, type, channel_id, occurred_at from event where (select count(*) from receivers) > ${DIRECT_RECEIVERS_MAX}
  returning event_id
)`
}

/**
 * SQL for the identifier of the delivery of an event to a subscription. It is derived from both, so the primary key keeps an
 * event from being queued twice. It has the form of a UUIDv7 of the event's millisecond, which places it in its partition.
 */
export function deliveryId(eventId: string, subscriptionId: string): string {
  const digest = `left(encode(sha256(convert_to(${eventId} || ${subscriptionId}, 'UTF8')), 'hex'), 16)`
  return `'dlv_' || substr(${eventId}, 5, 10) || overlay(overlay(${digest}, 'e', 1, 1), '8', 4, 1)`
}

/** SQL for the columns `sequence` and `has_receivers` of a statement that holds `emission`. */
export const emittedColumns = `(select last::float8 from sequence) as sequence,
  exists (select from deliveries) or exists (select from fanout) as has_receivers`

/** An event without what only the statement that writes it knows: the channel's identifier and the sequence number. */
export type EventDraft = { id: string; type: string; at: string; username: string; data: object }

/**
 * The payload as three texts, before, between and after the channel's identifier and the sequence number. It is serialised
 * once: the stored bytes are what is signed and sent. `JSON.stringify` escapes lone surrogates, so it is always valid UTF-8.
 */
export function payloadParts({ id, type, at, username, data }: EventDraft): [string, string, string] {
  return [
    // nothing in an identifier, a type or a time is escaped in JSON
    `{"id":"${id}","type":"${type}","timestamp":"${at}","channel":{"id":"`,
    `","username":${JSON.stringify(username)}},"sequence":`,
    `,"data":${withoutLineEnds(JSON.stringify(data))}}`,
  ]
}

/** JSON has these as they are, but many readers of a stream end a line at them, which the standard of SSE does not. */
const withoutLineEnds = (json: string) =>
  json.replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The payload as the statement has written it. */
export const payloadOf = (
  [head, middle, tail]: readonly [string, string, string],
  channelId: string,
  sequence: number,
) => `${head}${channelId}${middle}${sequence}${tail}`
