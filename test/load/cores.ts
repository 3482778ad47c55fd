import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/process.ts'
import { Driver } from './drive.ts'
import { demoOf } from './measured.ts'
import { type LoadRequest, requestsOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench:cores — what WEB_CONCURRENCY brings: requests a second with one process, and with one for each core; loopback
// only, about a minute. The generator and the database need cores, too, so read what a core that the service used has done:
// when that stays the same, more cores bring as much more.

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '3' } },
})
const SECONDS = Number(values.seconds)
const ROUNDS = Number(values.rounds)
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
    const drive = async (goesOn: (sent: number, seconds: number) => boolean) =>
      driven(service.base, request, AT_ONCE * processes, goesOn)
    await drive((sent) => sent < WARM_REQUESTS * processes)
    const before = await cpuSecondsAt(metricsPort)
    const { sent, seconds } = await drive((_sent, passed) => passed < SECONDS)
    works.set(name, { sent, seconds, cpuSeconds: (await cpuSecondsAt(metricsPort)) - before })
  }
  await service.stop()
  return works
}

async function driven(
  base: string,
  request: LoadRequest,
  atOnce: number,
  goesOn: (sent: number, seconds: number) => boolean,
) {
  await using driver = new Driver(base, [request], atOnce)
  const outcome = await driver.closedLoop(atOnce, goesOn)
  if (outcome.errors + outcome.shedMs.length > 0) throw new Error(`${request.path}: ${outcome.errors} wrong answers`)
  return outcome
}

/** CPU time of all processes of the service so far, as they tell Prometheus. */
async function cpuSecondsAt(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [, seconds] = /^process_cpu_seconds_total(?:\{.*\})? (\S+)/m.exec(text) ?? []
  if (seconds === undefined) throw new Error('The figures do not tell the CPU time')
  return Number(seconds)
}
