import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let isReachable = true

/** Whether the service answered the last call. */
export const connection = {
  report(isReachableNow: boolean): void {
    if (isReachableNow === isReachable) return
    isReachable = isReachableNow
    for (const listen of listeners) listen()
  },
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** False from the first call without an answer until a call gets one. */
export const useIsReachable = (): boolean => useSyncExternalStore(subscribe, () => isReachable)
