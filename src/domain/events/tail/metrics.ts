import { Durations } from '../../../telemetry/durations.ts'
import { createdAtOf } from '../../core/ids.ts'

/** What the tail of this process has read since it started, as metrics. */
export const tailMetrics = {
  /** `event_tail_events_total`: told to whoever follows, each once for its channel and once for the line of all channels. */
  events: 0,
  /** `event_tail_fallbacks_total`: channels read because no notification, or no broker, had told what was new. */
  fallbacks: 0,
  /** `event_tail_lag_seconds`: from an event to when it is told. */
  lagS: new Durations(),
}

/** Counts events that are told to streams now. */
export function measureTold(events: readonly { id: string }[]): void {
  for (const { id } of events) tailMetrics.lagS.observe((Date.now() - createdAtOf(id).getTime()) / 1000)
  tailMetrics.events += events.length
}
