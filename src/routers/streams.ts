import { tracked } from '@trpc/server'

type Numbered<Change> = { sequence: string; change: Change }

/** Gives each change its number as the event's identifier, from which a client that was cut off goes on. */
export async function numbered<Change>(stream: Promise<AsyncIterable<Numbered<Change>>>) {
  return trackedBy(await stream)
}

async function* trackedBy<Change>(changes: AsyncIterable<Numbered<Change>>) {
  for await (const { sequence, change } of changes) yield tracked(sequence, change)
}
