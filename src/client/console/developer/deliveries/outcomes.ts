/** Every outcome, with its label and its meaning. */
export const outcomes = {
  pending: { tone: 'warn', word: 'Pending', meaning: 'in the queue, or waiting for its next attempt' },
  delivered: { tone: 'good', word: 'Delivered', meaning: 'the receiver answered with 2xx' },
  failed: { tone: 'bad', word: 'Failed', meaning: 'its attempts are used up, or it was given up' },
  cancelled: { tone: 'quiet', word: 'Cancelled', meaning: 'the subscription was deleted before' },
  held: { tone: 'quiet', word: 'Held', meaning: 'the subscription was disabled; replay it once it is enabled' },
  expired: { tone: 'quiet', word: 'Expired', meaning: 'its event is older than what we keep' },
} as const satisfies Record<string, { tone: string; word: string; meaning: string }>

export type OutcomeName = keyof typeof outcomes
