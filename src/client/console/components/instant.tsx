import { useSyncExternalStore } from 'react'
import { describeAge, exactTime, localTime } from './times.ts'

const TICK_MS = 15_000

function everyTick(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS)
  return () => clearInterval(timer)
}

const currentTick = () => Math.floor(Date.now() / TICK_MS)

/** A moment: how long ago, or in local time when `isAbsolute`; the exact value shows on hover. */
export function Instant({ at, isAbsolute = false }: { at: string; isAbsolute?: boolean }) {
  useSyncExternalStore(everyTick, currentTick)
  return (
    <time dateTime={at} title={`${exactTime(at)}\n${at}`}>
      {isAbsolute ? localTime(at) : describeAge(at, Date.now())}
    </time>
  )
}
