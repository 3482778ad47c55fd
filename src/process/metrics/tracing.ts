import type { Config } from '../../config.ts'
import { apiVersion } from '../../domain/core/version.ts'
import { logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { Disposables } from '../disposables.ts'

/** Traces, where `OTEL_EXPORTER_OTLP_ENDPOINT` says to whom they go. The library behind them is loaded only then. */
export async function openTraces({ traces }: Config, opened: Disposables): Promise<Traces | undefined> {
  if (traces.endpoint === undefined) return undefined
  const { Traces } = await import('../../telemetry/traces.ts')
  return opened.use(new Traces({ endpoint: traces.endpoint, share: traces.share, version: apiVersion, log: logger }))
}
