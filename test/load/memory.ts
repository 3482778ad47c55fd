import { temporaryFolder } from '../support/folder.ts'
import { Driver } from './drive.ts'
import { demoOf, startServiceOn } from './measured.ts'
import { numbersGiven } from './options.ts'
import { requestsOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench:memory — resident memory after a tenth and after all of the requests, and the time from a start to the first
// ready answer on a database that is there; loopback only, some minutes. Ends with status 1 when memory grows or a start is slow.

const { requests: REQUESTS, starts: STARTS } = numbersGiven({ requests: 1_000_000, starts: 5 })
const AT_ONCE = 32
const GROWTH_MAX = 1.1
const READY_MS_MAX = 1_500

using folder = temporaryFolder()
const { early, late } = await measureMemory()
const starts = await measureStarts()

const [slowest = Number.NaN] = starts.slice(-1)
const growth = late / early
const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
const count = (requests: number) => requests.toLocaleString('en')
process.stdout.write(
  `${machineLine()}\n\n${table(
    ['', 'figure', 'goal'],
    [
      [`memory after ${count(REQUESTS / 10)} requests`, mebibytes(early), ''],
      [`memory after ${count(REQUESTS)} requests`, mebibytes(late), ''],
      ['growth', `× ${growth.toFixed(2)}`, `≤ ${GROWTH_MAX}`],
      [`start to ready, best of ${STARTS}`, `${Math.round(starts[0] ?? Number.NaN)} ms`, ''],
      [`start to ready, worst of ${STARTS}`, `${Math.round(slowest)} ms`, `< ${READY_MS_MAX} ms`],
    ],
  )}`,
)
process.exitCode = growth <= GROWTH_MAX && slowest < READY_MS_MAX ? 0 : 1

async function measureMemory() {
  await using service = await startServiceOn(folder.path)
  const { health, channel } = requestsOf(demoOf(folder.path))
  await using driver = new Driver(service.base, [health, channel], AT_ONCE)
  const rssAfter = async (requests: number) => {
    const { errors } = await driver.closedLoop(AT_ONCE, (sent) => sent < requests)
    if (errors > 0) throw new Error(`${errors} wrong answers`)
    return (await service.usage()).rssBytes
  }
  const early = await rssAfter(REQUESTS / 10)
  return { early, late: await rssAfter(REQUESTS - REQUESTS / 10) }
}

/** Milliseconds from the start of the process to the first 200 of `/health/ready`, ascending. */
async function measureStarts(): Promise<number[]> {
  const taken: number[] = []
  for (let start = 0; start < STARTS; start++) {
    await using service = await startServiceOn(folder.path)
    taken.push(service.readyMs)
  }
  return taken.toSorted((one, other) => one - other)
}
