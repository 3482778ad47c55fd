import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/folder.ts'
import { percentile } from '../drive.ts'
import { demoOf, type Measured, startMeasured, startServiceOn } from '../measured.ts'
import { numbersGiven } from '../options.ts'
import { machineLine, table } from '../table.ts'
import { contentOf } from './message.ts'
import type { Heard, WatchersOrder } from './watchers.ts'

// npm run bench:fanout — what a message costs that goes to many watchers of the feed, beside a bare floor, and what a watcher
// costs who hears nothing; loopback only, some two minutes. Ends with status 1 when a watcher missed one, or heard one twice
// or out of order.

const { seconds: SECONDS, rate: PER_SECOND, rounds: ROUNDS } = numbersGiven({ seconds: 6, rate: 20, rounds: 2 })
const WATCHERS = [50, 300, 1_000]
const IDLE_WATCHERS = 3_000
const PROCESSES = 2
const HEARD_MS_MAX = 25_000
const WARM_MESSAGES = 40

/** Where a server is watched and told, and by whom. */
type Subject = { name: string; server: Measured; token: string; room: string }
type Figures = {
  cpuUs: number
  medianMs: number
  p95Ms: number
  answeredP95Ms: number
  received: number
  wrong: number
}

using folder = temporaryFolder()
await using service = await startServiceOn(folder.path, { STREAM_LIMITS: 'off' })
await using floor = await startMeasured(
  ['--import', 'tsx', 'test/load/fanout/floor.ts'],
  { NODE_ENV: 'production' },
  '/',
)
const demo = demoOf(folder.path)
const shared = { token: demo.users.streamer.access_token, room: demo.users.streamer.username }
const subjects: Subject[] = [
  { name: 'floor', server: floor, ...shared },
  { name: 'service', server: service, ...shared },
]
let number = 0
let isWhole = true

const rows: string[][] = []
for (const count of WATCHERS) {
  const costs = new Map<string, Figures[]>()
  for (let round = 0; round < ROUNDS; round++)
    for (const subject of subjects)
      costs.set(subject.name, [...(costs.get(subject.name) ?? []), await tellAll(subject, count)])
  const floorUs = cheapest(costs.get('floor')).cpuUs
  for (const [name, all] of costs) rows.push(rowOf(name, count, cheapest(all), floorUs))
}
const idle = await costOfIdle()

process.stdout.write(
  `${machineLine()}; ${PER_SECOND} messages/s into one room, best of ${ROUNDS} × ${SECONDS} s\n\n` +
    table(
      ['watchers', 'CPU a delivery', '× floor', 'p50 ms', 'p95 ms', 'answered, p95 ms', 'delivered', 'wrong'],
      rows,
    ) +
    `\n${IDLE_WATCHERS} watchers who hear nothing: ${idle.kibEach.toFixed(1)} KiB each, ${(idle.share * 100).toFixed(1)} % of a core\n`,
)
process.exitCode = isWhole ? 0 : 1

/** Sends for a while to so many watchers, and sees that each hears all of it. */
async function tellAll({ server, token, room }: Subject, count: number): Promise<Figures> {
  using watchers = await startWatchers(server, token, count)
  for (let sent = 0; sent < WARM_MESSAGES; sent++) await send(server, token, room)
  await watchers.untilHeard(WARM_MESSAGES * count)
  const before = await server.usage()
  const answered = await sendFor(server, token, room)
  const heard = await watchers.untilHeard(answered.length * count)
  const cpuUs = ((await server.usage()).cpuUs - before.cpuUs) / (answered.length * count)
  if (heard.received !== answered.length * count || heard.wrong > 0) isWhole = false
  const latencies = heard.latenciesMs.toSorted((one, other) => one - other)
  return {
    cpuUs,
    medianMs: percentile(latencies, 0.5),
    p95Ms: percentile(latencies, 0.95),
    answeredP95Ms: percentile(
      answered.toSorted((one, other) => one - other),
      0.95,
    ),
    received: heard.received / (answered.length * count),
    wrong: heard.wrong,
  }
}

/** What the service holds for watchers of a room where nothing happens. */
async function costOfIdle(): Promise<{ kibEach: number; share: number }> {
  const before = await service.usage()
  using _watchers = await startWatchers(service, shared.token, IDLE_WATCHERS)
  const opened = await service.usage()
  await after(SECONDS * 1000)
  const end = await service.usage()
  return {
    kibEach: (opened.rssBytes - before.rssBytes) / IDLE_WATCHERS / 1024,
    share: (end.cpuUs - opened.cpuUs) / (SECONDS * 1e6),
  }
}

/** Sends at a steady pace, one after the other; resolves with how long each was waited for, in milliseconds. */
async function sendFor(server: Measured, token: string, room: string): Promise<number[]> {
  const answered: number[] = []
  const begun = performance.now()
  for (let sent = 0; sent < SECONDS * PER_SECOND; sent++) {
    await after(Math.max(0, begun + (sent / PER_SECOND) * 1000 - performance.now()))
    answered.push(await send(server, token, room))
  }
  return answered
}

async function send({ base }: Measured, token: string, room: string): Promise<number> {
  const begun = performance.now()
  const response = await fetch(`${base}/v1/chat/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ room_name: room, content: contentOf(++number) }),
  })
  await response.text()
  if (response.status !== 201) throw new Error(`A message was answered with ${response.status}`)
  return performance.now() - begun
}

/** Watchers in processes of their own, so that the server's CPU time is its own. */
async function startWatchers({ base }: Measured, token: string, count: number) {
  const script = fileURLToPath(new URL('watchers.ts', import.meta.url))
  const processes = Array.from({ length: PROCESSES }, () => fork(script))
  const url = `${base}/v1/events?types=chat.message.sent&channel=${shared.room}`
  const each = count / PROCESSES
  await Promise.all(processes.map((child) => ask(child, { url, token, count: each } satisfies WatchersOrder)))
  return {
    /** What they heard since they were last asked, when it is as much as given, or when waiting has lasted long enough. */
    untilHeard: async (wanted: number): Promise<Heard> => {
      const sum: Heard = { received: 0, wrong: 0, open: 0, latenciesMs: [] }
      for (const until = performance.now() + HEARD_MS_MAX; performance.now() < until; await after(100)) {
        for (const heard of await Promise.all(processes.map((child) => ask(child, 'tell')))) {
          sum.received += heard.received
          sum.wrong += heard.wrong
          sum.latenciesMs.push(...heard.latenciesMs)
        }
        if (sum.received >= wanted) break
      }
      return sum
    },
    [Symbol.dispose]: () => {
      for (const child of processes) child.disconnect()
    },
  }
}

async function ask(child: ChildProcess, order: WatchersOrder | 'tell'): Promise<Heard> {
  const answer = once(child, 'message')
  child.send(order)
  const [heard] = await Promise.race([
    answer,
    once(child, 'exit').then(() => Promise.reject(new Error('Watchers ended'))),
  ])
  return heard as Heard
}

function cheapest(all: Figures[] = []): Figures {
  return all.toSorted((one, other) => one.cpuUs - other.cpuUs)[0] as Figures
}

function rowOf(name: string, count: number, figures: Figures, floorUs: number): string[] {
  const { cpuUs, medianMs, p95Ms, answeredP95Ms, received, wrong } = figures
  return [
    `${name}, ${count}`,
    `${cpuUs.toFixed(1)} µs`,
    (cpuUs / floorUs).toFixed(2),
    medianMs.toFixed(0),
    p95Ms.toFixed(0),
    answeredP95Ms.toFixed(0),
    `${(received * 100).toFixed(1)} %`,
    String(wrong),
  ]
}
