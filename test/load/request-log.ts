import { temporaryFolder } from '../support/folder.ts'
import { Driver } from './drive.ts'
import { demoOf, startMeasured } from './measured.ts'
import { numbersGiven } from './options.ts'
import { type LoadRequest, requestsOf } from './requests.ts'
import type { RequestLogMode } from './switched-request-log.ts'
import { machineLine, table } from './table.ts'

// npm run bench:request-log — CPU time that the log of requests takes of a process for each request: the same process with it and without,
// one after the other, in many short pairs, for which the machine is alike; loopback only, two minutes. Ends with status 1 when it is more than promised.

const { seconds: SECONDS, pairs: PAIRS } = numbersGiven({ seconds: 0.1, pairs: 200 })
const AT_ONCE = 32
const WARM_REQUESTS = 4_000
const PROMISED_US = 5

using folder = temporaryFolder()
await using service = await startMeasured(
  ['--import', 'tsx', '--import', './test/load/switched-request-log.ts', 'src/main.ts'],
  { DATA_DIR: folder.path, RATE_LIMITS: 'off', WEBHOOK_WORKER: 'off', NODE_ENV: 'production' },
)
const { channel } = requestsOf(demoOf(folder.path))
const refused: LoadRequest = { ...channel, path: '/v1/channels/nobody', status: 404 }

const cases: { name: string; request: LoadRequest; mode: RequestLogMode; isPromised: boolean }[] = [
  { name: 'a channel, of which a sample is kept', request: channel, mode: 'on', isPromised: true },
  { name: 'one that is refused, kept within the bounds', request: refused, mode: 'on', isPromised: true },
  { name: 'one that is refused, if every one were kept', request: refused, mode: 'all', isPromised: false },
]

const rows: string[][] = []
for (const { name, request, mode, isPromised } of cases) {
  await using driver = new Driver(service.base, [request], AT_ONCE)
  for (const warm of [mode, 'off'] as const) await costOf(driver, warm, (sent) => sent < WARM_REQUESTS)
  const [withIt, without, more]: [number[], number[], number[]] = [[], [], []]
  for (let pair = 0; pair < PAIRS; pair++) {
    const inTurn = [mode, 'off'] as const
    const found = new Map<RequestLogMode, number>()
    for (const one of pair % 2 === 0 ? inTurn : inTurn.toReversed())
      found.set(one, await costOf(driver, one, (_, seconds) => seconds < SECONDS))
    const [us = 0, offUs = 0] = inTurn.map((one) => found.get(one))
    withIt.push(us)
    without.push(offUs)
    more.push(us - offUs)
  }
  const median = at(more, 0.5)
  rows.push([
    name,
    figure(at(withIt, 0.5)),
    figure(at(without, 0.5)),
    figure(median),
    `${figure(at(more, 0.25))} to ${figure(at(more, 0.75))}`,
  ])
  if (isPromised && median > PROMISED_US) process.exitCode = 1
}
process.stdout.write(
  `${machineLine()}; ${AT_ONCE} connections, ${PAIRS} pairs of ${SECONDS} s, medians\n\n` +
    table(['CPU of the server per request, µs', 'with the log', 'without', 'difference', 'half of the pairs'], rows) +
    (process.exitCode === 1 ? `\nNOT HELD: more than ${PROMISED_US} µs\n` : ''),
)

/** Microseconds of CPU time of the service for one request. */
async function costOf(driver: Driver, mode: RequestLogMode, goesOn: (sent: number, seconds: number) => boolean) {
  const before = await service.told({ requestLog: mode })
  const { sent, errors, shedMs } = await driver.closedLoop(AT_ONCE, goesOn)
  if (errors + shedMs.length > 0) throw new Error(`${errors + shedMs.length} wrong answers`)
  return ((await service.usage()).cpuUs - before.cpuUs) / sent
}

function at(values: readonly number[], share: number): number {
  const ascending = values.toSorted((one, other) => one - other)
  return ascending[Math.floor((ascending.length - 1) * share)] ?? Number.NaN
}

function figure(us: number): string {
  return us.toFixed(1)
}
