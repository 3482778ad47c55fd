import type { Database } from '../../../db/client.ts'
import { takeTurn } from '../../core/turns/take-turn.ts'
import { poll } from '../../events/poll.ts'
import type { StreamContext } from '../../events/streams/event-stream.ts'
import { ownerAsked, requireReached } from '../subscriptions/ownership.ts'
import { subscriptionsAsked } from './ledger.ts'
import { StateLooks } from './state-looks.ts'

/** Each that is watched is looked at every second. */
const WATCHED_MAX = 100

/**
 * Yields at once, and again, within about a second, whenever a subscription that the caller reaches or its deliveries have
 * changed, so that the lists should be read again: one, or the newest hundred of an application or of all. Ends when the caller is
 * gone. Throws `subscription_not_found`, also within about a second after the caller has lost what made them reach it.
 */
export async function watchDeliveries(
  ctx: StreamContext,
  watched: { subscription?: string | undefined; application_id?: string | undefined },
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<{ changed: true }>> {
  const owner = await ownerAsked(ctx, watched)
  return changesOf(ctx, await takeTurn(ctx, () => subscriptionsAsked(ctx, watched, WATCHED_MAX), { owner }), signal)
}

async function* changesOf(ctx: StreamContext, ids: string[], signal: AbortSignal | undefined) {
  const looks = looksOf(ctx.slow)
  const onWake: StreamContext['onWake'] = (listener) => looks.watch(ids, () => listener([]))
  let seen: string | undefined
  let isInDoubt = false
  const doubt = () => {
    isInDoubt = true
  }
  for await (const _ of poll({ ...ctx, onWake }, signal, doubt)) {
    const wasInDoubt = isInDoubt
    isInDoubt = false
    if (wasInDoubt) await requireReached(ctx, ids)
    const states = ids.map((id) => looks.stateOf(id))
    const state = states.join(' ')
    if (states.includes(undefined) || state === seen) continue
    seen = state
    yield { changed: true as const }
  }
}

// Module state, because the connections for slow statements are the process's
const looksOver = new WeakMap<Database, StateLooks>()

function looksOf(slow: Database): StateLooks {
  const found = looksOver.get(slow) ?? new StateLooks(slow)
  looksOver.set(slow, found)
  return found
}
