import { useSyncExternalStore } from 'react'

/** `slow`: a call has waited for longer than people do without a word. `away`: the last call was not answered. */
export type ConnectionState = 'good' | 'slow' | 'away'

const SLOW_MS = 3_000
/** Longer than any call may take in the service, which ends those that last. */
const LIMIT_MS = 40_000
/** A proxy without a backend answers 502 to 504, and the service 503 while it starts. */
const BAD_GATEWAY = 502

const listeners = new Set<() => void>()
let isAway = false
let waiting = 0
let state: ConnectionState = 'good'

function tell(): void {
  const next = isAway ? 'away' : waiting > 0 ? 'slow' : 'good'
  if (next === state) return
  state = next
  for (const listen of listeners) listen()
}

function report(isReachable: boolean): void {
  isAway = !isReachable
  tell()
}

/** A call that cannot have arrived: the device had no network when it was made. */
export class OfflineError extends Error {}

/** `fetch` that says how the connection is doing, and gives up in the end: what was asked for is never sent later. */
export const watchedFetch: typeof fetch = async (to, { signal, ...init } = {}) => {
  const limit = new AbortController()
  const abort = () => limit.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const isOffline = !navigator.onLine
  const patience = beginToWait()
  const deadline = setTimeout(() => limit.abort(new Error('The service did not answer in time.')), LIMIT_MS)
  try {
    const response = await fetch(to, { ...init, signal: limit.signal })
    report(response.status < BAD_GATEWAY)
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    report(false)
    throw isOffline ? new OfflineError('You are offline.', { cause: error }) : error
  } finally {
    signal?.removeEventListener('abort', abort)
    clearTimeout(deadline)
    patience.end()
  }
}

function beginToWait() {
  let isLong = false
  const timer = setTimeout(() => {
    isLong = true
    waiting++
    tell()
  }, SLOW_MS)
  return {
    end(): void {
      clearTimeout(timer)
      if (isLong) waiting--
      tell()
    },
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How the connection to the service is, by the calls that were made. */
export const useConnection = (): ConnectionState => useSyncExternalStore(subscribe, () => state)
