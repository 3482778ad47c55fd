import { paceOf } from '../../events/receiver-pace.ts'

/** Attempts in flight for all applications of one account, in the whole cluster: half of a process's slots. */
export const OWNER_IN_FLIGHT_MAX = 64
/** The same for an account that is younger than a week: a crowd of fresh accounts gets no further than a few old ones. */
const NEW_OWNER_IN_FLIGHT_MAX = 16
const NEW_OWNER_DAYS = 7
/**
 * The common table expressions that count what is in flight, every leased row whose lease has not ended yet: by subscription, and
 * by the owner of its application, of slow and of unproven receivers apart. An application that nobody owns is an owner of
 * its own.
 */
export const inFlight = `
in_flight as materialized (
  -- the interval keeps this from using the index of due times, where all that waits for a later attempt is as well
  select subscription_id as id, count(*)::int as n from webhook_deliveries
  where lease is not null and due_at + interval '0' > statement_timestamp() group by 1
), in_flight_by_owner as materialized (
  select coalesce(c.owner_id, c.id) as owner_id, sum(n)::int as n,
    coalesce(sum(n) filter (where ${paceOf('s.attempt_ms')} = 2), 0)::int as slow,
    coalesce(sum(n) filter (where ${paceOf('s.attempt_ms')} = 1), 0)::int as unproven
  from in_flight
  cross join lateral (select client_id, attempt_ms from webhook_subscriptions where id = in_flight.id limit 1) s
  cross join lateral (select id, owner_id from clients where id = s.client_id limit 1) c
  group by 1
)`

/** SQL for how many attempts of an owner, whose account was created then, may be in flight; `most` for one that is old or nobody's. */
export const ownerCap = (createdAt: string, most: string) =>
  `case when ${createdAt} > statement_timestamp() - interval '${NEW_OWNER_DAYS} days'
    then least(${most}, ${NEW_OWNER_IN_FLIGHT_MAX}) else ${most} end`

/** SQL for how many of those may be for slow receivers: an owner's others always have a third. */
export const slowShare = (cap: string) => `greatest(1, ${cap} * 2 / 3)`

const UNPROVEN_LEFT_EACH = 4
/**
 * SQL for whether an owner may have `inFlight` attempts of unproven receivers when `free` places are left then: one in any
 * case, and another for every four that are left. None can be taken back before its attempt ends, so whoever comes later
 * must find some: of 70 an account alone gets 14, ten get 50, and after ten that came one by one six are left.
 */
export const isWithinUnprovenShare = (inFlight: string, free: string) =>
  `((${inFlight} - 1) * ${UNPROVEN_LEFT_EACH} <= ${free})`
