import type { Command } from 'commander'
import { bornAt } from '../domain/ids.ts'
import { type ReplayKind, replayDeliveries, replayKinds } from '../domain/webhooks/replay.ts'
import { answers, asOperator, type Door, oneOf } from './door.ts'
import { type Progress, withProgress } from './progress.ts'

type Options = { subscription: string; only: ReplayKind; from?: string; to?: string }

export function addReplay(command: Command, door: Door): void {
  command
    .requiredOption('--subscription <id>', 'sub_…')
    .option('--only <kind>', `one of ${replayKinds.join(', ')}`, oneOf(replayKinds), 'failed')
    .option('--from <time>', 'RFC 3339; the last 30 days when left out')
    .option('--to <time>', 'RFC 3339; until now when left out')
  answers(command, door, {
    examples: [
      'events replay --subscription sub_…',
      'events replay --subscription sub_… --only missed --from 2026-01-02T00:00:00Z',
    ],
    work: async () => {
      const options = command.opts<Options>()
      const queued = await withProgress(door, (progress) => replayAll(door, options, progress))
      return { data: { queued }, text: `${queued} deliveries were queued again.` }
    },
  })
}

async function replayAll(door: Door, options: Options, progress: Progress): Promise<number> {
  const shareAt = sharesOf(options)
  return door.withContext(async (ctx) => {
    let queued = 0
    let after: string | undefined
    do {
      const chunk = await replayDeliveries(asOperator(ctx), { ...options, after })
      queued += chunk.queued
      after = chunk.next ?? undefined
      progress(shareAt(after), `${queued} queued`)
    } while (after !== undefined)
    return queued
  })
}

/** A replay goes from the oldest to the newest. How many there are nobody has counted, but how late the last one is tells how far it is. */
function sharesOf({ from, to }: Options): (last: string | undefined) => number {
  const endMs = to === undefined ? Date.now() : Date.parse(to)
  let beginMs = from === undefined ? undefined : Date.parse(from)
  return (last) => {
    if (last === undefined) return 1
    const atMs = bornAt(last).getTime()
    beginMs ??= atMs
    return endMs > beginMs ? (atMs - beginMs) / (endMs - beginMs) : 1
  }
}
