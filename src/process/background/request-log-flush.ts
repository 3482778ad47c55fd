import { requestLogMetrics } from '../../domain/requests/metrics.ts'
import { writeRequestLog } from '../../domain/requests/write.ts'
import type { ProcessContext } from '../context.ts'
import { repeat } from './repeat.ts'

const edge = {
  down: 'Requests of applications could not be stored',
  up: 'Requests of applications are stored again',
  facts: { dropped: requestLogMetrics.dropped },
}

/** Stores the noted requests of applications every second, and once more when it is disposed of. */
export const startRequestLogFlush = (ctx: ProcessContext): AsyncDisposable =>
  repeat(ctx, { edge, pauseMs: 1_000, isLast: true }, async () => {
    await writeRequestLog(ctx)
  })
