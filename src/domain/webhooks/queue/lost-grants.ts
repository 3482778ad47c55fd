import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { isAllowed } from '../../events/consent.ts'

const CHUNK_ROWS = 1_000

const asLost = `status = 'disabled', disabled_reason = 'grant_lost',
  disabled_at = coalesce(disabled_at, statement_timestamp()), updated_at = statement_timestamp()`

/** Locked in the order of the identifiers, as everybody locks subscriptions. */
const disableThose = (which: string) =>
  statement<[id: string], { id: string }>(`
update webhook_subscriptions set ${asLost}
where id = any(array(
  select s.id from webhook_subscriptions s where ${which} and s.deleted_at is null
  order by s.id limit ${CHUNK_ROWS} for update))
returning id`)

const ofApplication = disableThose("s.client_id = $1 and s.status = 'enabled'")
const aboutUser = disableThose("s.user_id = $1 and s.status = 'enabled'")
/** Also what was disabled before, for another reason: it needs a new consent as well, and takes no room until then. */
const isLapsed = `s.disabled_reason is distinct from 'grant_lost' and not ${isAllowed('s')}`
const lapsedAboutUser = disableThose(`s.user_id = $1 and ${isLapsed}`)

/**
 * Disables the subscriptions of an application that is stopped, or about a user whose account is closed, in the transaction
 * that does it: a thousand by each statement, however many there are.
 */
export async function disableForStopped(
  tx: InTransaction,
  whose: { clientId: string } | { userId: string },
): Promise<void> {
  if ('clientId' in whose) await untilNone(() => ofApplication(tx.db, whose.clientId))
  else await untilNone(() => aboutUser(tx.db, whose.userId))
  tx.afterCommit(tx.wake)
}

/**
 * Disables the subscriptions about a user which no grant covers any more, in the transaction that ended one. An expired
 * token ends none, and a new consent enables nothing by itself.
 */
export async function disableForLostGrants(tx: InTransaction, userId: string): Promise<void> {
  await untilNone(() => lapsedAboutUser(tx.db, userId))
  tx.afterCommit(tx.wake)
}

async function untilNone(disableChunk: () => Promise<unknown[]>): Promise<void> {
  while ((await disableChunk()).length === CHUNK_ROWS);
}

type Visit = { visited: number; last: string | null; disabled: number }

const disableLapsed = statement<[after: string], Visit>(`
with visited as materialized (
  select id from webhook_subscriptions where id > $1 order by id limit ${CHUNK_ROWS}
), lapsed as materialized (
  select s.id from webhook_subscriptions s join visited on visited.id = s.id
  where s.deleted_at is null and ${isLapsed}
  order by s.id for update of s skip locked
), disabled as (
  update webhook_subscriptions set ${asLost} where id in (select id from lapsed) returning id
)
select (select count(*) from visited)::int as visited, (select max(id) from visited) as last,
  (select count(*) from disabled)::int as disabled`)

/**
 * Looks at the next thousand subscriptions behind `after`, and disables those whose grant has ended without anybody ending
 * it: expired, or deleted. Nothing is sent to them by then; this makes their status say so. `next` is '' behind the last.
 */
export async function sweepLapsed({ slow }: Context, after: string): Promise<{ disabled: number; next: string }> {
  const [visit] = await disableLapsed(slow, after)
  const isLast = visit === undefined || visit.visited < CHUNK_ROWS
  return { disabled: visit?.disabled ?? 0, next: isLast ? '' : (visit.last ?? '') }
}

/** The same for all subscriptions. Returns how many were disabled. */
export async function sweepAllLapsed(ctx: Context): Promise<number> {
  let all = 0
  for (let after = ''; ; ) {
    const { disabled, next } = await sweepLapsed(ctx, after)
    all += disabled
    if (next === '') return all
    after = next
  }
}
