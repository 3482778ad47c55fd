import type { Command } from 'commander'
import { createdAtOf } from '../domain/core/ids.ts'
import { type ReplayKind, replayKinds } from '../domain/webhooks/deliveries/replay.ts'
import { type ApiAccess, addApiAccess, withApiAccess } from './api-access.ts'
import { addAction, type CliIo, oneOf, subscriptionLines } from './io.ts'
import { type Progress, withProgress } from './progress.ts'

type Options = { subscription: string; only: ReplayKind; from?: string | undefined; to?: string | undefined }

export function addReplay(command: Command, io: CliIo): void {
  addApiAccess(command)
    .requiredOption('--subscription <id>', 'sub_…')
    .option('--only <kind>', `one of ${replayKinds.join(', ')}`, oneOf(replayKinds), 'failed')
    .option('--from <time>', 'RFC 3339; the last 30 days when left out')
    .option('--to <time>', 'RFC 3339; until now when left out')
  addAction(command, io, {
    examples: [
      ...subscriptionLines,
      'events replay --subscription "$SUBSCRIPTION"',
      'events replay --subscription "$SUBSCRIPTION" --only missed --from 2026-01-02T00:00:00Z',
    ],
    work: async () => {
      const { subscription, only, from, to } = command.opts<Options>()
      const { queued, hastened } = await withApiAccess(command, io, (api) =>
        withProgress(io, (progress) => replayAll(api, { subscription, only, from, to }, progress)),
      )
      const isNone = queued === 0 && only === 'failed'
      const waited = hastened > 0 ? ` ${hastened} that waited for their next attempt are sent now.` : ''
      const text = `${queued} deliveries were queued again.${waited}${isNone ? ' What is still being tried needs no replay.' : ''}`
      return { data: { queued, hastened }, text }
    },
  })
}

async function replayAll(
  { replay }: ApiAccess,
  options: Options,
  progress: Progress,
): Promise<{ queued: number; hastened: number }> {
  const shareAt = sharesOf(options)
  let queued = 0
  let hastened = 0
  let after: string | undefined
  do {
    const chunk = await replay({ ...options, after })
    queued += chunk.queued
    hastened += chunk.hastened
    after = chunk.next ?? undefined
    progress(shareAt(after), `${queued} queued`)
  } while (after !== undefined)
  return { queued, hastened }
}

/** A replay runs from the oldest to the newest. Their number is unknown, so the time of the last one says how much is done. */
function sharesOf({ from, to }: Options): (last: string | undefined) => number {
  const endMs = to === undefined ? Date.now() : Date.parse(to)
  let beginMs = from === undefined ? undefined : Date.parse(from)
  return (last) => {
    if (last === undefined) return 1
    const atMs = createdAtOf(last).getTime()
    beginMs ??= atMs
    return endMs > beginMs ? (atMs - beginMs) / (endMs - beginMs) : 1
  }
}
