import cluster, { type Worker } from 'node:cluster'
import type { MetricValues } from '../../telemetry/metrics.ts'
import { collectMetrics, type MetricsSource } from '../metrics/metrics.ts'

type Question = { kind: 'count'; number: number; withDatabase: boolean }
type Answer = { kind: 'counted'; number: number; figures: MetricValues[] }

/** One that is starting, stopping or stuck says nothing, and the others are not held up by it. */
const ANSWER_MS = 3_000

let asked = 0

/** The figures of all processes that serve, asked by the first one; the database's are asked through one of them. */
export async function gatherMetrics(): Promise<MetricValues[]> {
  const members = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
  const answers = await Promise.all(members.map((worker, index) => (worker ? ask(worker, index === 0) : [])))
  return answers.flat()
}

function ask(worker: Worker, withDatabase: boolean): Promise<MetricValues[]> {
  const number = ++asked
  return new Promise((resolve) => {
    const settle = (figures: MetricValues[]) => {
      clearTimeout(timer)
      worker.off('message', hear)
      resolve(figures)
    }
    const hear = ({ kind, number: answered, figures }: Answer) => {
      if (kind === 'counted' && answered === number) settle(figures)
    }
    const timer = setTimeout(settle, ANSWER_MS, [])
    worker.on('message', hear)
    worker.send({ kind: 'count', number, withDatabase } satisfies Question, (error) => error && settle([]))
  })
}

/** Answers the first process whenever it gathers figures. */
export function sendMetrics(meter: MetricsSource) {
  process.on('message', async ({ kind, number, withDatabase }: Question) => {
    if (kind !== 'count') return
    const figures = await collectMetrics(meter, withDatabase)
    process.send?.({ kind: 'counted', number, figures } satisfies Answer)
  })
}
