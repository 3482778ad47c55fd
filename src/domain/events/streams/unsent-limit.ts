import type { OpenStream } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'

/** What is kept for the readers of all streams of a process together. Each may leave a mebibyte unread, and there may be ten thousand. */
const UNSENT_ALL_MAX = 128 * 1024 * 1024
/** Less is on its way to a reader who reads. */
const UNSENT_MIN = 65_536

type Kept = { bytes: number; streams: OpenStream[] }

/**
 * Ends the streams for whose readers most is kept in memory, once that is too much of all together, until it is half as much: they
 * resume where they were. What is kept once for many counts once.
 */
export function endMostUnsent(streams: Iterable<OpenStream>, allMax = UNSENT_ALL_MAX): void {
  const kept = keptBy(streams)
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0)
  if (bytes <= allMax) return
  for (const one of kept.toSorted((a, b) => b.bytes - a.bytes)) {
    if (bytes <= allMax / 2) return
    bytes -= one.bytes
    for (const stream of one.streams) stream.end({ ...tooSlow(), isAtOnce: true })
  }
}

function keptBy(streams: Iterable<OpenStream>): Kept[] {
  const shared = new Map<string, Kept>()
  const alone: Kept[] = []
  for (const stream of streams) {
    const bytes = stream.unsentBytes ?? 0
    if (bytes < UNSENT_MIN) continue
    const { sharedBy } = stream
    const known = sharedBy === undefined ? undefined : shared.get(sharedBy)
    const kept = known ?? { bytes, streams: [] }
    kept.bytes = Math.max(kept.bytes, bytes)
    kept.streams.push(stream)
    if (sharedBy === undefined) alone.push(kept)
    else shared.set(sharedBy, kept)
  }
  return [...alone, ...shared.values()]
}

/** Why a stream is ended whose reader takes less than comes. */
export const tooSlow = () => ({
  reason: 'recycled' as const,
  problem: new Problem('unavailable', 'The reader is too slow: resume.'),
})
