import { EVERY_CHANNEL } from '../domain/core/live.ts'
import type { RelayedEvent } from '../domain/core/relayed.ts'

/** The stream that keeps copies, and the subjects that it keeps. */
export const STREAM = 'EVENTS'
export const ALL_SUBJECTS = 'events.>'

/** `events.<channel id>.<event type>` */
export const subjectOfEvent = ({ channelId, type }: Pick<RelayedEvent, 'channelId' | 'type'>) =>
  `events.${channelId}.${type}`

/** The subjects of a line. */
export const subjectsOfLine = (key: string) => (key === EVERY_CHANNEL ? ALL_SUBJECTS : `events.${key}.>`)

/** The headers of a message beside `Nats-Msg-Id`, which is the identifier of the event. */
export const POSITION = 'Event-Position'
export const PREVIOUS = 'Event-Previous-Position'
export const SEQUENCE = 'Event-Sequence'
