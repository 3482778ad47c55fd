import { useSyncExternalStore } from 'react'

/** How moments are shown: how long ago they were, or in local time, or in UTC. */
export type TimeStyle = 'ago' | 'local' | 'utc'

const KEY = 'times'
const listeners = new Set<() => void>()
const isStyle = (value: string | null): value is TimeStyle => value === 'ago' || value === 'local' || value === 'utc'

function kept(): TimeStyle {
  const value = localStorage.getItem(KEY)
  return isStyle(value) ? value : 'ago'
}

let style: TimeStyle = kept()

export function setTimeStyle(next: TimeStyle): void {
  style = next
  localStorage.setItem(KEY, next)
  for (const listen of listeners) listen()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What this browser's reader has chosen last. */
export const useTimeStyle = (): TimeStyle => useSyncExternalStore(subscribe, () => style)

/** The zone in which exact times are shown and typed; undefined is the device's own. */
export const useTimeZone = (): 'UTC' | undefined => (useTimeStyle() === 'utc' ? 'UTC' : undefined)
