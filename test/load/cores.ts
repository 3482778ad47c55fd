import { availableParallelism } from 'node:os'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/process.ts'
import { drive } from './drive.ts'
import { demoOf } from './measured.ts'
import { numbersGiven } from './options.ts'
import { type LoadRequest, requestsOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench:cores — what WEB_CONCURRENCY brings: requests a second with one process, and with one for each core; loopback
// only, about a minute. The generator and the database need cores, too, so read what a core that the service used has done:
// when that stays the same, more cores bring as much more.

const { seconds: SECONDS, rounds: ROUNDS } = numbersGiven({ seconds: 4, rounds: 3 })
/** For each process: a core does less for a request when more of them come together. */
const AT_ONCE = 32
const WARM_REQUESTS = 3_000

type Work = { sent: number; seconds: number; cpuSeconds: number }

using folder = temporaryFolder()
const counts = [1, ...Array.from({ length: availableParallelism() - 1 }, (_, index) => index + 2)]
const rounds: { processes: number; name: string; work: Work }[] = []
for (let round = 0; round < ROUNDS; round++) {
  for (const processes of counts) {
    for (const [name, work] of await measure(processes)) rounds.push({ processes, name, work })
  }
}

const rows = [...new Set(rounds.map(({ name }) => name))].flatMap((name) => {
  const one = inAll(name, 1)
  return counts.map((processes) => {
    const { perSecond, cores } = inAll(name, processes)
    const figures = [perSecond.toFixed(0), times(perSecond / one.perSecond), cores.toFixed(2)]
    const perCore = perSecond / cores
    const label = `${name}, ${processes} ${processes === 1 ? 'process' : 'processes'}`
    return [label, ...figures, perCore.toFixed(0), times(perCore / (one.perSecond / one.cores))]
  })
})
process.stdout.write(
  `${machineLine()}; ${AT_ONCE} connections a process, ${ROUNDS} × ${SECONDS} s\n\n` +
    table(['', 'requests/s', 'to one', 'cores used', 'requests/s and core', 'to one'], rows),
)

function inAll(wanted: string, count: number) {
  const works = rounds.filter(({ name, processes }) => name === wanted && processes === count).map(({ work }) => work)
  const sum = (of: (work: Work) => number) => works.reduce((total, work) => total + of(work), 0)
  const seconds = sum((work) => work.seconds)
  return { perSecond: sum(({ sent }) => sent) / seconds, cores: sum(({ cpuSeconds }) => cpuSeconds) / seconds }
}

function times(factor: number): string {
  return `× ${factor.toFixed(2)}`
}

/** Starts so many processes on the same data, and drives each request for some seconds. */
async function measure(processes: number): Promise<Map<string, Work>> {
  const metricsPort = await freePort()
  await using service = await startService({
    DATA_DIR: folder.path,
    METRICS_PORT: String(metricsPort),
    WEB_CONCURRENCY: String(processes),
    RATE_LIMITS: 'off',
    WEBHOOK_WORKER: 'off',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
  })
  const { channels } = requestsOf(demoOf(folder.path))
  const document: LoadRequest = { method: 'GET', path: '/openapi.json', headers: {}, status: 200 }
  const works = new Map<string, Work>()
  for (const [name, request] of Object.entries({ 'the document': document, '50 channels': channels })) {
    const atOnce = AT_ONCE * processes
    await drive(service.base, request, atOnce, (sent) => sent < WARM_REQUESTS * processes)
    const before = await cpuSecondsAt(metricsPort)
    const { sent, seconds } = await drive(service.base, request, atOnce, (_, passed) => passed < SECONDS)
    works.set(name, { sent, seconds, cpuSeconds: (await cpuSecondsAt(metricsPort)) - before })
  }
  await service.stop()
  return works
}

/** CPU time of all processes of the service so far, as they tell Prometheus. */
async function cpuSecondsAt(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [, seconds] = /^process_cpu_seconds_total(?:\{.*\})? (\S+)/m.exec(text) ?? []
  if (seconds === undefined) throw new Error('The figures do not tell the CPU time')
  return Number(seconds)
}
