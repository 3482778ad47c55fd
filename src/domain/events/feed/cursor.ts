import type { Context } from '../../core/context.ts'
import { decodeCursor, encodeCursor } from '../../core/paging.ts'

/** A place in a line, and when it was reached: no event behind it is much older. */
export type FeedCursor = { place: number; at: Date }

/** Valid for whoever reads the same line, in every process. At most 200 characters. */
export function encodeFeedCursor(ctx: Pick<Context, 'keyring'>, key: string, { place, at }: FeedCursor): string {
  return encodeCursor(ctx, listOf(key), [String(place), String(at.getTime())])
}

/** Throws `invalid_cursor`, also for one of another line. */
export function decodeFeedCursor(ctx: Pick<Context, 'keyring'>, key: string, text: string): FeedCursor {
  const [place, ms] = decodeCursor(ctx, listOf(key), text, 'after') ?? []
  return { place: Number(place), at: new Date(Number(ms)) }
}

const listOf = (key: string) => `events ${key}`
