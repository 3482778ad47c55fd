import { Instant } from '../../components/instant.tsx'

/** So much later is now: clocks differ. */
const NOW_MS = 5_000

/** When it is tried again. What is due may still wait: its receiver is paused, or others come first. */
export function NextAttempt({ at, end = '' }: { at: string; end?: string }) {
  if (Date.parse(at) <= Date.now() + NOW_MS) return `Next attempt due now${end}`
  return (
    <>
      Next attempt <Instant at={at} end={end} />
    </>
  )
}
