import type { Actor } from '../../core/actor.ts'
import type { Context } from '../../core/context.ts'
import type { EventFilter } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { EventStream, type FeedContext, type StreamContext, type StreamParts } from '../streams/event-stream.ts'
import { countStream } from '../streams/stream-limit.ts'
import { isModerationType, type SubscribableType, subscribableTypes } from '../types.ts'
import { lineFor, type NamedLine } from './channel-line.ts'
import { filterOf } from './filter.ts'
import type { FeedSelection } from './read-feed.ts'
import { requireReadable } from './readable-types.ts'
import { type Start, type StartInput, startFor } from './start.ts'

/**
 * The caller's feed as a stream that stays open, with all that `readFeed` throws. Whoever gets it opens it, or leaves it when
 * the reader is gone.
 */
export async function followFeed(ctx: FeedContext, selection: FeedSelection): Promise<EventStream> {
  const types = requireReadable(ctx.principal, selection.types)
  const named = await lineFor(ctx, ctx.principal, selection.channel)
  return openStream(ctx, named, beginAt(ctx, named, types, selection))
}

export type EventSelection = StartInput & {
  /** All when left out. */
  types?: readonly SubscribableType[] | undefined
}

/**
 * The events that webhooks of the caller would get: of their channel, or for an application of every channel without
 * moderation. The command line listens to it. Throws `user_token_required`, and what `followFeed` throws but for scopes.
 */
export async function followEvents(ctx: StreamContext, selection: EventSelection): Promise<EventStream> {
  const types = requireFollowable(ctx.principal, selection.types)
  const named = await lineFor(ctx, ctx.principal, undefined)
  return openStream(ctx, named, beginAt(ctx, named, types, selection))
}

/** The same for the operator, who has no credential that could end, and may choose a channel. */
export async function followAsOperator(
  ctx: Context,
  selection: EventSelection & { channel?: string | undefined },
): Promise<EventStream> {
  const operator: Actor = { kind: 'operator' }
  const types = requireFollowable(operator, selection.types)
  const named = await lineFor(ctx, operator, selection.channel)
  return heldStream(ctx, named, beginAt(ctx, named, types, selection), { reader: undefined, uncount: () => {} })
}

type Begin = (last: number) => Promise<{ start: Start; filter: EventFilter }>

/** A stream of a line, from where `begin` says; it is given the place to which the line has come. Throws `rate_limited`. */
export async function openStream(ctx: FeedContext, named: NamedLine, begin: Begin): Promise<EventStream> {
  const uncount = await countStream(ctx)
  try {
    return await heldStream(ctx, named, begin, { reader: ctx, uncount })
  } catch (problem) {
    uncount()
    throw problem
  }
}

type Holder = Pick<StreamParts, 'reader' | 'uncount'>

async function heldStream(ctx: Context, { key, last }: NamedLine, begin: Begin, holder: Holder): Promise<EventStream> {
  const line = await ctx.tail.hold(key, last)
  try {
    return new EventStream(ctx, { key, line, ...holder, ...(await begin(line.place)) })
  } catch (problem) {
    line.release()
    throw problem
  }
}

const beginAt =
  (ctx: Context, { key }: NamedLine, types: readonly SubscribableType[], input: StartInput): Begin =>
  async (last) => {
    const start = await startFor(ctx, key, last, input)
    return { start, filter: filterOf(types, start.notBefore) }
  }

function requireFollowable(actor: Actor, asked: readonly SubscribableType[] = subscribableTypes) {
  if (actor.kind === 'user') return asked
  if (asked !== subscribableTypes && asked.some(isModerationType)) {
    throw new Problem('user_token_required', 'types: moderation events are for the user whose channel it is.')
  }
  return asked.filter((type) => !isModerationType(type))
}
