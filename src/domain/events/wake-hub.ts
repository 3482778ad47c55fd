import { randomUUID } from 'node:crypto'
import { OtherListeners } from '../../db/other-listeners.ts'
import type { CommittedEvent, WakeListener } from '../core/live.ts'

/** Called with the channel whose event was committed, if there was one. */
type CommitListener = (channelId?: string) => void

/** Tells listeners in this process that there may be new events. The context's `wake` is its `wake`. */
export class WakeHub {
  /** Tells what this process announces from what others do. */
  readonly id = randomUUID()
  /** Whether what this process announces is heard by anybody. A process that does not listen cannot know, and announces. */
  readonly others: OtherListeners
  readonly #listeners = new Set<WakeListener>()
  readonly #committed = new Set<CommitListener>()

  /** `now` as for OtherListeners. */
  constructor(now?: () => number) {
    this.others = new OtherListeners(now)
  }

  /** To be called after a commit of this process. */
  wake = (channelId?: string, event?: CommittedEvent): void => {
    for (const listen of this.#committed) listen(channelId)
    this.wakeHere(channelId === undefined ? [] : [channelId], event)
  }

  /** To be called after a commit anywhere. Unlike `wake` it announces nothing, or two processes would echo each other. */
  wakeHere: WakeListener = (channelIds, event) => {
    for (const listen of this.#listeners) listen(channelIds, event)
  }

  /** Calls `listener` at every wake, until the returned function is called. */
  onWake = (listener: WakeListener): (() => void) => added(this.#listeners, listener)

  /** Calls `listener` after the commits of this process alone, until the returned function is called. */
  onCommit = (listener: CommitListener): (() => void) => added(this.#committed, listener)
}

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
