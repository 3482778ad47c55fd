import type { Database } from '../../../db/client.ts'
import { poll } from '../../events/poll.ts'
import type { StreamContext } from '../../events/streams/event-stream.ts'
import { requireSubscription } from '../subscriptions/ownership.ts'
import { StateLooks } from './state-looks.ts'

/**
 * Yields at once, and again, within about a second, whenever one of the caller's subscriptions or its deliveries has changed,
 * so that the lists should be read again. Ends when the caller is gone. Throws `subscription_not_found`.
 */
export async function watchDeliveries(
  ctx: StreamContext,
  { subscription }: { subscription: string },
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<{ changed: true }>> {
  const { id } = await requireSubscription(ctx, subscription)
  return changesOf(ctx, id, signal)
}

async function* changesOf(ctx: StreamContext, id: string, signal: AbortSignal | undefined) {
  const looks = looksOf(ctx.slow)
  const onWake: StreamContext['onWake'] = (listener) => looks.watch(id, () => listener([]))
  let seen: string | undefined
  for await (const _ of poll({ ...ctx, onWake }, signal)) {
    const state = looks.stateOf(id)
    if (state === undefined || state === seen) continue
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
