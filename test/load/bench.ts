import { temporaryFolder } from '../support/folder.ts'
import { drive } from './drive.ts'
import { demoOf, type Measured, startMeasured, startServiceOn } from './measured.ts'
import { numbersGiven } from './options.ts'
import { type LoadRequest, requestsOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench — CPU time of the service for each of six requests, beside a bare floor on the same database; loopback only,
// about a minute. Read the ratios: CPU time is the stable figure on a machine that does other things, too.

const { seconds: SECONDS, rounds: ROUNDS } = numbersGiven({ seconds: 2, rounds: 2 })
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
await drive(service.base, requests.send, AT_ONCE, (sent) => sent < MESSAGES)

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
  await drive(server.base, request, AT_ONCE, (sent) => sent < WARM_REQUESTS)
  const before = await server.usage()
  const { sent } = await drive(server.base, request, AT_ONCE, (_, seconds) => seconds < SECONDS)
  return ((await server.usage()).cpuUs - before.cpuUs) / sent
}

function least(list: number[] = []): number {
  return Math.min(...list)
}
