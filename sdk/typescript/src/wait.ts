import { timer } from './limit.ts'

/** Resolves after some time; rejects at once with the reason of the signal when that aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(waiting)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const waiting = timer(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/** How long to wait before a try: what the service asked for, else twice as long each time, and not all at once. */
export function delayMs(attempt: number, retryAfterS: number | undefined): number {
  if (retryAfterS !== undefined) return retryAfterS * 1_000
  const longest = Math.min(30_000, 500 * 2 ** attempt)
  return longest / 2 + Math.random() * (longest / 2)
}
