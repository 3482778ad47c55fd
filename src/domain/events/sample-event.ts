import { newId } from '../core/ids.ts'
import type { LoggedEvent } from '../core/live.ts'
import { payloadParts } from './emit-sql.ts'
import { sampleData } from './sample.ts'
import type { EventType } from './types.ts'

/** No real channel, so that receivers who check sequences for gaps are not misled. */
export const sampleChannel = { id: 'test', username: 'test' }
export const SAMPLE_SEQUENCE = 0

/** An event that has not happened, with an identifier of its own and the sample of its type. */
export function sampleEvent(type: EventType, at: Date): LoggedEvent {
  const id = newId('event', at)
  const { username } = sampleChannel
  const parts = payloadParts({ id, type, at: at.toISOString(), username, data: sampleData(type) })
  return { id, type, payload: `${parts[0]}${sampleChannel.id}${parts[1]}${SAMPLE_SEQUENCE}${parts[2]}` }
}
