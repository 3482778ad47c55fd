import type { OpenStream } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'

/** What is kept for the readers of all streams of a process together. Each may have a mebibyte unsent, and there may be ten thousand. */
const UNSENT_ALL_MAX = 128 * 1024 * 1024
/** Less is on its way to a reader who reads. */
const UNSENT_MIN = 65_536

/** Whether more is unsent to a reader than is on its way to one who reads. */
export const hasMuchUnsent = ({ unsentBytes = 0 }: Pick<OpenStream, 'unsentBytes'>) => unsentBytes >= UNSENT_MIN

/** `frees`: how much memory it gives back to end this stream, when those that have left more are ended before it. */
type Unsent = { stream: OpenStream; bytes: number; frees: number }

/**
 * Ends the streams whose readers have left most, once what is kept is too much of all together, until it is half as much: they
 * resume where they were. What is kept once for many counts once.
 */
export function endMostUnsent(streams: Iterable<OpenStream>, allMax = UNSENT_ALL_MAX): void {
  const unsent = unsentOf(streams)
  let kept = unsent.reduce((sum, { frees }) => sum + frees, 0)
  if (kept <= allMax) return
  for (const { stream, frees } of unsent.toReversed()) {
    if (kept <= allMax / 2) return
    kept -= frees
    stream.end({ ...tooSlow(), isAtOnce: true })
  }
}

/** Whose readers have left least comes first. */
function unsentOf(streams: Iterable<OpenStream>): Unsent[] {
  const unsent: Unsent[] = []
  for (const stream of streams) {
    const bytes = stream.unsentBytes ?? 0
    if (hasMuchUnsent({ unsentBytes: bytes })) unsent.push({ stream, bytes, frees: bytes })
  }
  unsent.sort((one, other) => one.bytes - other.bytes)
  const less = new Map<string, number>()
  for (const one of unsent) {
    const { sharedBy } = one.stream
    if (sharedBy === undefined) continue
    one.frees -= less.get(sharedBy) ?? 0
    less.set(sharedBy, one.bytes)
  }
  return unsent
}

/** Why a stream is ended whose reader takes less than comes. */
export const tooSlow = () => ({
  reason: 'recycled' as const,
  problem: new Problem('unavailable', 'The reader is too slow: resume.'),
})
