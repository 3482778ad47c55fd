import { parseArgs } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { Driver } from './drive.ts'
import { demoOf, type Measured, startMeasured, startServiceOn } from './measured.ts'
import { type LoadRequest, requestsOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench — CPU time of the service for each of six requests, beside a bare floor on the same database; loopback only,
// about a minute. Read the ratios: CPU time is the stable figure on a machine that does other things, too.

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, rounds: { type: 'string', default: '2' } },
})
const SECONDS = Number(values.seconds)
const ROUNDS = Number(values.rounds)
const AT_ONCE = 32
const WARM_REQUESTS = 2_000
const MESSAGES = 200

using folder = temporaryFolder()
await using service = await startServiceOn(folder.path)
await using floor = await startMeasured(
  ['--import', 'tsx', 'test/load/floor.ts'],
  { DATA_DIR: folder.path, NODE_ENV: 'production' },
  '/health/',
)
const requests = requestsOf(demoOf(folder.path))
await drive(service, requests.send, MESSAGES)

const rows: string[][] = []
for (const [name, request] of Object.entries(requests)) {
  const [ours, bare]: number[][] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    bare?.push(await costOf(floor, request))
    ours?.push(await costOf(service, request))
  }
  const [us, floorUs] = [least(ours), least(bare)]
  rows.push([name, `${us.toFixed(0)} µs`, `${floorUs.toFixed(0)} µs`, (us / floorUs).toFixed(2)])
}
process.stdout.write(
  `${machineLine()}; ${AT_ONCE} connections, best of ${ROUNDS} × ${SECONDS} s\n\n` +
    table(['CPU of the server per request', 'service', 'floor', '× floor'], rows),
)

/** Microseconds of CPU time of a server for one request. */
async function costOf(server: Measured, request: LoadRequest): Promise<number> {
  await drive(server, request, WARM_REQUESTS)
  const before = await server.usage()
  const sent = await drive(server, request, Number.POSITIVE_INFINITY)
  return ((await server.usage()).cpuUs - before.cpuUs) / sent
}

async function drive({ base }: Measured, request: LoadRequest, most: number): Promise<number> {
  await using driver = new Driver(base, [request], AT_ONCE)
  const { sent, errors, shedMs } = await driver.closedLoop(AT_ONCE, (count, seconds) =>
    most === Number.POSITIVE_INFINITY ? seconds < SECONDS : count < most,
  )
  if (errors + shedMs.length > 0) throw new Error(`${request.method} ${request.path}: ${errors} wrong answers`)
  return sent
}

function least(list: number[] = []): number {
  return Math.min(...list)
}
