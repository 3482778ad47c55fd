import { SLOW_MS } from '../../shared/delivery.ts'

/** What the last attempts of a receiver say about how long the next one holds its slot, in the order of their numbers in SQL. */
export const paces = ['fast', 'unproven', 'slow'] as const
export type Pace = (typeof paces)[number]

/** Under what deliveries are filed: the pace of their receiver, or that it rests, whatever its pace. In the order of their numbers. */
export const files = [...paces, 'resting'] as const
export type File = (typeof files)[number]

/** SQL for the number of the pace of a subscription whose `attempt_ms` this is; `unproven` until its first attempt is settled. */
export const paceOf = (attemptMs: string) =>
  `(case when ${attemptMs} is null then 1 when ${attemptMs} > ${SLOW_MS} then 2 else 0 end)::smallint`

/**
 * SQL for the number under which deliveries to a subscription, whose row `s` stands for, are filed (`webhook_deliveries.pace`), so
 * that a claim need not pass over the receivers of a pace for which it has no places, nor over those that rest, however many
 * they are.
 */
export const fileOf = (s: string) =>
  `(case when ${s}.open_until > statement_timestamp() then 3 else ${paceOf(`${s}.attempt_ms`)} end)::smallint`

/**
 * SQL for whose a subscription is (`webhook_deliveries.owner_id`): the account that owns its application, or the application
 * that nobody owns. Deliveries are filed under it, so that a claim passes over all of an account that has its share at once.
 */
export const ownerOf = (s: string) => `(select coalesce(c.owner_id, c.id) from clients c where c.id = ${s}.client_id)`
