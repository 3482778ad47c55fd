import { Status, type Tone } from '../../components/feedback/status.tsx'
import type { Delivery } from './delivery-table.tsx'

export type OutcomeName = Delivery['outcome']

/** Every outcome, with its label and its meaning. */
export const outcomes = {
  pending: { tone: 'warn', word: 'Pending', meaning: 'in the queue, or waiting for its next attempt' },
  delivered: { tone: 'good', word: 'Delivered', meaning: 'the receiver answered with 2xx' },
  failed: { tone: 'bad', word: 'Failed', meaning: 'its attempts are used up, or it was given up' },
  cancelled: { tone: 'quiet', word: 'Cancelled', meaning: 'the subscription was deleted before' },
  held: { tone: 'quiet', word: 'Held', meaning: 'the subscription was disabled; replay it once it is enabled' },
  expired: { tone: 'quiet', word: 'Expired', meaning: 'its event is older than what we keep' },
} as const satisfies Record<OutcomeName, { tone: Tone; word: string; meaning: string }>

export function Outcome({ delivery: { outcome, attempts } }: { delivery: Pick<Delivery, 'outcome' | 'attempts'> }) {
  const { tone, word } = outcomes[outcome]
  return <Status tone={tone}>{outcome === 'pending' && attempts > 0 ? 'Retrying' : word}</Status>
}
