import { statement } from '../../db/statement.ts'
import { newId } from '../core/ids.ts'
import type { InTransaction } from '../core/transaction.ts'
import { emission, emittedColumns, payloadOf, payloadParts } from './emit-sql.ts'
import { type EventData, type EventType, eventTypes } from './types.ts'

type Emission<Type extends EventType> = { channel: { id: string; username: string }; data: EventData<Type> }

const insertEvent = statement<
  [channelId: string, id: string, type: string, at: string, ...payload: [string, string, string]],
  { sequence: number; has_receivers: boolean }
>(`
with ${emission({
  cause: 'select $1::text as channel_id',
  id: '$2',
  type: '$3::text',
  at: '$4',
  beforeChannel: '$5',
  beforeSequence: '$6',
  afterSequence: '$7',
})}
select ${emittedColumns} from event`)

/**
 * Queues an event for every enabled subscription that matches it, by one statement of the transaction of its cause: an
 * event without its cause is impossible. Call it last: the channel's sequence stays locked until the commit.
 */
export async function emitEvent<Type extends EventType>(
  tx: InTransaction,
  type: Type,
  { channel, data }: Emission<Type>,
): Promise<void> {
  const now = tx.now()
  const at = now.toISOString()
  const id = newId('event', now)
  const parts = payloadParts({ id, type, at, username: channel.username, data: eventTypes[type].parse(data) })
  const [written] = await insertEvent(tx.db, channel.id, id, type, at, ...parts)
  tx.traces?.published(id, type)
  if (!written) throw new Error(`the event ${id} was not written`)
  const { sequence, has_receivers: hasReceivers } = written
  const event = { id, type, payload: payloadOf(parts, channel.id, sequence), sequence, hasReceivers }
  tx.afterCommit(() => tx.wake(channel.id, event))
}
