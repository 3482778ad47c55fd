import { temporaryFolder } from '../support/folder.ts'
import { Driver, type Outcome, percentile } from './drive.ts'
import { demoOf, startServiceOn } from './measured.ts'
import { numbersGiven } from './options.ts'
import { mixOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench:load — what callers feel at a fixed rate of arrival, below and beyond what the service can do; loopback only,
// about a minute. The rate is kept whatever becomes of the answers, as the outside world keeps it: a service that
// cannot follow must say so (503, Retry-After), not let everybody wait. Ends with status 1 when it does not.

const { seconds: SECONDS } = numbersGiven({ seconds: 8 })
const AT_ONCE = 64
/** More than the service takes in at once: it has to refuse what is beyond. */
const CONNECTIONS = 4_000
const SHARES = [0.25, 0.5, 0.75, 1, 1.5, 3]
/** Nobody waits longer for an answer that comes. */
const WAIT_MS_MAX = 10_000

using folder = temporaryFolder()
await using service = await startServiceOn(folder.path)
await using driver = new Driver(service.base, mixOf(demoOf(folder.path)), CONNECTIONS)
await driver.closedLoop(AT_ONCE, (_, seconds) => seconds < SECONDS / 2) // code is compiled, connections are made
const { latenciesMs, seconds } = await driver.closedLoop(AT_ONCE, (_, past) => past < SECONDS)
const capacity = latenciesMs.length / seconds

const outcomes: [share: number, Outcome][] = []
for (const share of SHARES) outcomes.push([share, await driver.openLoop(capacity * share, SECONDS)])
const { rssBytes } = await service.usage()

const ms = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(value < 10 ? 1 : 0))
const rows = outcomes.map(([share, { sent, seconds: took, latenciesMs: answered, shedMs, errors }]) => [
  `${share * 100} %`,
  (sent / took).toFixed(0),
  ...[0.5, 0.99, 0.999].map((part) => ms(percentile(answered, part))),
  `${((shedMs.length / sent) * 100).toFixed(1)} %`,
  ms(percentile(shedMs, 0.99)),
  String(errors),
])
const head = ['of capacity', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', '503', 'p99 of 503, ms', 'errors']
process.stdout.write(
  `${machineLine()}; ${SECONDS} s each, the generator on the same machine\n` +
    `capacity ${capacity.toFixed(0)} requests/s; ${Math.round(rssBytes / 2 ** 20)} MiB afterwards\n\n${table(head, rows)}`,
)

const isBounded = outcomes.every(
  ([, { latenciesMs: answered, errors }]) => errors === 0 && percentile(answered, 0.999) < WAIT_MS_MAX,
)
const [, most] = outcomes.at(-1) ?? []
const isShed = most !== undefined && most.shedMs.length > 0
if (!isBounded)
  process.stdout.write('\nNOT HELD: somebody waited too long, or was answered with neither what was asked nor 503\n')
if (!isShed) process.stdout.write('\nNOT HELD: nothing was refused\n')
process.exitCode = isBounded && isShed ? 0 : 1
