import { createServer } from 'node:http'
import type { Config } from '../../config.ts'
import { logger } from '../../telemetry/logger.ts'
import { listenHttp } from '../listen.ts'

/** Serves `GET /metrics` on `METRICS_PORT`. Throws one line that names the variable when the port cannot be used. */
export async function serveMetrics({ metricsPort: port, host }: MetricsAddress, collect: () => Promise<string>) {
  const { EXPOSITION_TYPE } = await import('../../telemetry/exposition.ts')
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const isMetrics = request.url?.split('?', 1)[0] === '/metrics'
    if (!isMetrics) response.writeHead(404).end()
    else
      collect().then(
        (text) => response.setHeader('Content-Type', EXPOSITION_TYPE).end(text),
        (error: unknown) => {
          logger.error({ err: error }, 'Metrics could not be collected')
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

export type MetricsAddress = Pick<Config, 'host'> & { metricsPort: number }
