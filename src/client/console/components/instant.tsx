import { useState, useSyncExternalStore } from 'react'
import { useTimeStyle, useTimeZone } from '../app/time-style.ts'
import { describeAge, describeTime, exactTime } from './times.ts'

const TICK_MS = 15_000

function everyTick(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS)
  return () => clearInterval(timer)
}

const currentTick = () => Math.floor(Date.now() / TICK_MS)

/**
 * A moment: how long ago, or the time when `isAbsolute` or the reader wants times. Pressing it, by whatever means, shows it to
 * the millisecond. `end`: what follows at once, such as the dot of the sentence, and stays on the same line.
 */
export function Instant({ at, isAbsolute = false, end }: { at: string; isAbsolute?: boolean; end?: string }) {
  useSyncExternalStore(everyTick, currentTick)
  const style = useTimeStyle()
  const zone = useTimeZone()
  const [isExact, setIsExact] = useState(false)
  const exact = exactTime(at, zone)
  const usual = isAbsolute || style !== 'ago' ? describeTime(at, zone) : describeAge(at, Date.now())
  return (
    <span className="instant-place">
      <button
        type="button"
        className="instant"
        title={`${exact}\n${at}`}
        aria-pressed={isExact}
        onClick={() => setIsExact(!isExact)}
      >
        <time dateTime={at}>{isExact ? exact : usual}</time>
      </button>
      {end}
    </span>
  )
}
