import { Instant } from '../../components/instant.tsx'

/** When it is tried again. What is due may still wait: its receiver is paused, or others come first. */
export function NextAttempt({ at, end = '' }: { at: string; end?: string }) {
  if (Date.parse(at) <= Date.now()) return `Next attempt due, it waits for its turn${end}`
  return (
    <>
      Next attempt <Instant at={at} end={end} />
    </>
  )
}
