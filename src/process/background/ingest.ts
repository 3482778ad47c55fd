import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import { renewConnections } from '../../domain/ingest/connections.ts'
import { KeepAlives } from '../../domain/ingest/keep-alives.ts'
import { endLapsed } from '../../domain/ingest/lapse.ts'
import { createIngestServer } from '../../rest/ingest/door.ts'
import { listenHttp } from '../listen.ts'
import { repeat } from './repeat.ts'

/** How often it is looked for encoders that have gone. */
const WATCH_MS = 2_000
/** How long calls may go on after the door has closed. */
const GRACE_MS = 2_000

/**
 * Lets encoders in at `INGEST_PORT`, and watches that those which have gone end, until it is disposed of. Without a secret it
 * listens to this machine alone. Throws one line that names the variable when the port cannot be used.
 */
export async function openIngest(
  ctx: Context,
  { ingestPort: port, host }: { ingestPort: number } & Pick<Config, 'host'>,
): Promise<AsyncDisposable> {
  await renewConnections(ctx)
  const keepAlives = new KeepAlives(ctx)
  const server = createIngestServer(ctx, keepAlives)
  await listenHttp(server, { port, host: ctx.ingest?.secret === undefined ? LOOPBACK : host }, 'INGEST_PORT')
  const watching = watch(ctx, keepAlives)
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const forced = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await Promise.all([closed, watching[Symbol.asyncDispose]()])
      clearTimeout(forced)
    },
  }
}

const LOOPBACK = '127.0.0.1'
const edge = {
  down: 'Encoders that have gone cannot be looked for',
  up: 'Encoders that have gone are looked for again',
}

/**
 * After a time in which the database was away, or was too slow to be told of them, nobody was heard of: all who publish then get the
 * time to be.
 */
function watch(ctx: Context, keepAlives: KeepAlives): AsyncDisposable {
  let isDeaf = false
  return repeat(ctx, { edge, pauseMs: WATCH_MS }, async (signal) => {
    if (keepAlives.takeMissed() || isDeaf) {
      isDeaf = true
      await renewConnections(ctx)
    }
    isDeaf = true // until it has gone well
    await endLapsed(ctx, signal)
    isDeaf = false
  })
}
