/** The longest that a timer can wait: about 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** A timer for any time: a longer one than there is would be over at once. */
export const timer = (end: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(end, Math.min(ms, TIMER_MS_MAX))

/** What comes of `work`, unless the signal aborts before: then its reason is thrown, whatever the work makes of it. */
export async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let end = () => {}
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/**
 * Does something with a signal that aborts when `other` does, or after a time. No fetch ends by itself when nobody answers, but for
 * that of Node after five minutes.
 */
export async function within<Result>(
  ms: number,
  other: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const follow = () => ending.abort(other?.reason)
  if (other?.aborted) follow()
  other?.addEventListener('abort', follow)
  const late = timer(() => ending.abort(new Error('There was no answer in time.')), ms)
  try {
    return await unlessAborted(ending.signal, work(ending.signal))
  } finally {
    clearTimeout(late)
    other?.removeEventListener('abort', follow)
  }
}
