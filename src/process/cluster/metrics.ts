import cluster, { type Worker } from 'node:cluster'
import type { MetricValues } from '../../telemetry/metrics.ts'
import { collectMetrics, type MetricsSource } from '../metrics/metrics.ts'

/** As those of worker-processes.ts, these messages keep their form between releases. */
type Question = { kind: 'count'; number: number; withDatabase: boolean }
type Answer = { kind: 'counted'; number: number; figures: MetricValues[] }

/** A worker that is starting, stopping or stuck does not answer, and must not delay the scrape. */
const ANSWER_MS = 3_000

let lastNumber = 0

/** The metrics of all worker processes, collected by the primary. One of them adds those of the database. */
export async function gatherMetrics(): Promise<MetricValues[]> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
  const answers = await Promise.all(workers.map((worker, index) => (worker ? ask(worker, index === 0) : [])))
  return answers.flat()
}

function ask(worker: Worker, withDatabase: boolean): Promise<MetricValues[]> {
  const number = ++lastNumber
  return new Promise((resolve) => {
    const settle = (metrics: MetricValues[]) => {
      clearTimeout(timer)
      worker.off('message', receive)
      resolve(metrics)
    }
    const receive = ({ kind, number: answered, figures }: Answer) => {
      if (kind === 'counted' && answered === number) settle(figures)
    }
    const timer = setTimeout(settle, ANSWER_MS, [])
    worker.on('message', receive)
    worker.send({ kind: 'count', number, withDatabase } satisfies Question, (error) => error && settle([]))
  })
}

/** Answers the primary whenever it gathers metrics. */
export function sendMetrics(source: MetricsSource) {
  process.on('message', async ({ kind, number, withDatabase }: Question) => {
    if (kind !== 'count') return
    const figures = await collectMetrics(source, withDatabase)
    process.send?.({ kind: 'counted', number, figures } satisfies Answer)
  })
}
