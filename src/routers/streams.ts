import { tracked } from '@trpc/server'
import type { Marked } from '../domain/events/poll.ts'

/** Gives each item its mark as the event's identifier, from which a client that was cut off goes on by itself. */
export async function resumable<Item>(stream: Promise<AsyncIterable<Marked<Item>>>) {
  return trackedBy(await stream)
}

async function* trackedBy<Item>(stream: AsyncIterable<Marked<Item>>) {
  for await (const { mark, item } of stream) yield tracked(mark, item)
}
