import { Durations } from '../../telemetry/durations.ts'

/** What media servers asked this process, by what became of it; read when metrics are collected. */
export const ingestMetrics = {
  calls: {
    published: 0,
    /** Let in when the media server had given up waiting. */
    late: 0,
    kept: 0,
    left: 0,
    ignored: 0,
    wrong_key: 0,
    busy: 0,
    throttled: 0,
    cut: 0,
    refused: 0,
    undecided: 0,
    failed: 0,
  },
  pictures: { taken: 0, failed: 0 },
  /** How long ffmpeg took for a picture. */
  pictureS: new Durations(),
}

export type IngestOutcome = keyof typeof ingestMetrics.calls
