import type { Config } from '../../config.ts'
import { apiVersion } from '../../domain/core/version.ts'
import { logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { Disposables } from '../disposables.ts'

/** Traces, if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The library behind them is loaded only then. */
export async function openTraces(
  { endpoint, share }: Config['traces'],
  disposables: Disposables,
): Promise<Traces | undefined> {
  if (endpoint === undefined) return undefined
  const { Traces } = await import('../../telemetry/traces.ts')
  return disposables.use(new Traces({ endpoint, share, version: apiVersion, log: logger }))
}
