import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { isHearing, subscriptionOf } from '../../events/consent.ts'
import type { SealedSecret } from '../secrets/secrets.ts'
import type { Claimed } from './claim.ts'

/** What is sent, where to and signed with what, read at the time of sending: delivery rows copy nothing of it. */
export type DeliveryContent = {
  payload: string
  url: string
  secrets: SealedSecret[]
  sendWindow: number
  consecutiveFailures: number
}
/** `stopped`: the subscription is gone, deleted, disabled, or not allowed any more. `lost`: the event is older than what is kept. */
export type LoadedDelivery = { kind: 'content'; content: DeliveryContent } | { kind: 'stopped' } | { kind: 'lost' }

type Row = {
  id: string
  payload: string | null
  url: string | null
  send_window: number | null
  consecutive_failures: number | null
  secrets: string | null
}

/** Secrets come as one text, the current one first: `id keyId hex`, separated by commas. */
const selectContents = statement<[ids: string[], eventIds: string[], subscriptionIds: string[]], Row>(`
select t.id, events.payload, s.url, s.send_window, s.consecutive_failures, secrets.list as secrets
from unnest($1::text[], $2::text[], $3::text[]) t (id, event_id, subscription_id)
left join events on events.id = t.event_id
left join ${subscriptionOf('t.subscription_id')} s on ${isHearing('s')}
left join lateral (
  select string_agg(w.id || ' ' || w.key_id || ' ' || encode(w.ciphertext, 'hex'), ',' order by w.id desc) as list
  from webhook_secrets w
  where w.subscription_id = s.id and (w.expires_at is null or w.expires_at > statement_timestamp())
) secrets on true`)

/** Reads what the claimed rows need, in one query for all, after the claim's transaction has ended. */
export async function loadContents({ db }: Context, rows: readonly Claimed[]): Promise<Map<string, LoadedDelivery>> {
  const ids = rows.map((row) => row.id)
  const eventIds = rows.map((row) => row.event_id)
  const subscriptionIds = rows.map((row) => row.subscription_id)
  const found = await selectContents(db, ids, eventIds, subscriptionIds)
  return new Map(found.map((row) => [row.id, loadedOf(row)]))
}

function loadedOf({ payload, url, send_window, consecutive_failures, secrets }: Row): LoadedDelivery {
  if (url === null) return { kind: 'stopped' }
  if (payload === null) return { kind: 'lost' }
  const content = { payload, url, secrets: secretsOf(secrets ?? '') }
  return {
    kind: 'content',
    content: { ...content, sendWindow: send_window ?? 1, consecutiveFailures: consecutive_failures ?? 0 },
  }
}

function secretsOf(list: string): SealedSecret[] {
  if (list === '') return []
  return list.split(',').map((text) => {
    const [id = '', keyId = '', hex = ''] = text.split(' ')
    return { id, keyId, ciphertext: Buffer.from(hex, 'hex') }
  })
}
