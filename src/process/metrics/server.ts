import { createServer } from 'node:http'
import type { Config } from '../../config.ts'
import { logger } from '../../telemetry/logger.ts'
import { listenHttp } from '../listen.ts'

/** Serves `GET /metrics` on `METRICS_PORT`. Throws one line that names the variable when that cannot be had. */
export async function serveMetrics({ metricsPort: port, host }: MetricsPlace, collect: () => Promise<string>) {
  const { EXPOSITION_TYPE } = await import('../../telemetry/exposition.ts')
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const isThere = request.url?.split('?', 1)[0] === '/metrics'
    if (!isThere) response.writeHead(404).end()
    else
      collect().then(
        (text) => response.setHeader('Content-Type', EXPOSITION_TYPE).end(text),
        (error: unknown) => {
          logger.error({ err: error }, 'The figures cannot be collected')
          response.writeHead(500).end()
        },
      )
  })
  server.maxConnections = CONNECTIONS_MAX
  await listenHttp(server, { port, host }, 'METRICS_PORT')
  return {
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const CONNECTIONS_MAX = 32

export type MetricsPlace = Pick<Config, 'host'> & { metricsPort: number }
