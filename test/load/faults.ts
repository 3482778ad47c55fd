import { setTimeout as after } from 'node:timers/promises'
import { temporaryFolder } from '../support/folder.ts'
import { Driver, type Outcome, percentile } from './drive.ts'
import { announcedBodies, type Stop, shortClients, stalledClients, unannouncedStreams } from './faults-clients.ts'
import { createFaultStage } from './faults-stage.ts'
import { numbersGiven } from './options.ts'
import { type LoadRequest, requestsOf } from './requests.ts'
import { machineLine, table } from './table.ts'

// npm run bench:faults — what callers feel at 100 requests a second while one thing after the other is broken for 30 s;
// loopback only, about ten minutes. REDIS_URL adds a Redis that is frozen; without one, its row says so.
// Ends with status 1 when somebody waited longer than is promised, or the service was not as before half a second later.

const { seconds: SECONDS, rate: RATE } = numbersGiven({ seconds: 30, rate: 100 })
const AFTERWARDS_SECONDS = 3
const BACK_MS = 500
const ANSWER_MS = 2_000
/** A database that says nothing is known to be away only when a statement has waited in vain. */
const SILENT_ANSWER_MS = 10_000
const CONNECTIONS = 2_000
/** Each may ask 800 times a minute. */
const TOKENS = 20

type Fault = {
  name: string
  /** Breaks something; what it resolves with mends it. */
  begin: () => Stop | Promise<Stop | (() => Promise<unknown>)>
  /** Everybody has an answer within this. */
  withinMs?: number
  /** What has to be answered as if nothing were broken: everything unless it is said. */
  spares?: 'all' | 'others' | 'none'
}

using folder = temporaryFolder()
await using stage = await createFaultStage(folder.path, process.env.REDIS_URL)
const { base, demo, admin } = stage
const { username: room, access_token: token } = demo.users.streamer
const tokens = await Promise.all(Array.from({ length: TOKENS }, takeToken))
const chat = tokens.map((one) => by(requestsOf(demo).messages, one))
const others = tokens.flatMap((one) => [by(requestsOf(demo).channel, one), by(requestsOf(demo).channels, one)])

const faults: Fault[] = [
  { name: 'nothing', begin: () => () => {} },
  { name: 'a client that pipelines and leaves', begin: () => shortClients(base) },
  { name: 'clients that read nothing', begin: () => stalledClients(base, token) },
  { name: '1,000 bodies that do not come', begin: () => announcedBodies(base) },
  { name: '1,000 streams of one person', begin: () => unannouncedStreams(base, token, room) },
  { name: 'chat is locked', begin: lockChat, spares: 'others', withinMs: SILENT_ANSWER_MS },
  { name: 'the disk is full, for readers', begin: fillDisk },
  { name: 'the replica is frozen', begin: () => freeze(stage.replica) },
  ...(stage.redis ? [{ name: 'Redis is frozen', begin: () => freeze(stage.redis) }] : []),
  { name: 'the database refuses', begin: refuseDatabase, spares: 'none' },
  { name: 'the database is frozen', begin: () => freeze(stage.database), spares: 'none', withinMs: SILENT_ANSWER_MS },
]

const rows: string[][] = []
const broken: string[] = []
for (const fault of faults) await measure(fault)
const head = ['broken', 'asked', 'answers', 'p99 ms', 'longest ms', 'half a second later', 'longest ms']
process.stdout.write(`${machineLine()}; ${RATE} requests/s for ${SECONDS} s each\n\n${table(head, rows)}`)
if (!stage.redis) process.stdout.write('\nRedis: not tried, REDIS_URL names none\n')
for (const line of broken) process.stdout.write(`\nNOT HELD: ${line}\n`)
process.exitCode = broken.length === 0 ? 0 : 1

async function measure({ name, begin, withinMs = ANSWER_MS, spares = 'all' }: Fault) {
  process.stderr.write(`${name}\n`)
  await using onChat = new Driver(base, chat, CONNECTIONS)
  await using onOthers = new Driver(base, others, CONNECTIONS)
  const both = (seconds: number) => Promise.all([onChat, onOthers].map((driver) => driver.openLoop(RATE / 2, seconds)))
  await both(1) // connections are made
  const mend = await begin()
  const during = await both(SECONDS)
  await mend()
  await after(BACK_MS)
  const later = await both(AFTERWARDS_SECONDS)
  const spared = [spares === 'all', spares !== 'none']
  for (const [i, asked] of ['chat', 'others'].entries())
    judge(name, asked, during[i] as Outcome, later[i] as Outcome, { withinMs, isSpared: spared[i] === true })
}

type Promised = { withinMs: number; isSpared: boolean }

function judge(name: string, asked: string, during: Outcome, later: Outcome, { withinMs, isSpared }: Promised) {
  const figures = [answersOf(during), ms(p99Of(during)), ms(during.longestMs), answersOf(later), ms(later.longestMs)]
  rows.push([name, asked, ...figures])
  const expect = (isSo: boolean, otherwise: string) => {
    if (!isSo) broken.push(`${name}, ${asked}: ${otherwise}`)
  }
  expect(during.longestMs <= withinMs, `somebody waited ${ms(during.longestMs)} ms`)
  expect(during.errors === 0, `${during.errors} answers that were neither what was asked nor 503`)
  expect(!isSpared || during.shedMs.length === 0, `${during.shedMs.length} were refused`)
  expect(later.errors + later.shedMs.length === 0, 'not as before, half a second later')
  expect(later.longestMs <= ANSWER_MS, `somebody waited ${ms(later.longestMs)} ms afterwards`)
}

async function lockChat() {
  await admin.unsafe('begin')
  await admin.unsafe('lock table chat_messages in access exclusive mode')
  return () => admin.unsafe('rollback')
}

/** Every statement that writes fails as on a full disk; only readers ask here. */
async function fillDisk() {
  await admin.unsafe(`create function disk_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  const tables = await admin<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`
  for (const { name } of tables)
    await admin.unsafe(
      `create trigger disk_full before insert or update or delete on ${name} execute function disk_full()`,
    )
  return () => admin.unsafe('drop function disk_full cascade')
}

function freeze(way: (typeof stage)['redis']) {
  way?.swallow()
  return () => way?.passOn()
}

async function refuseDatabase() {
  await stage.database.takeAway()
  return () => stage.database.giveBack()
}

async function takeToken(): Promise<string> {
  const { method, path, headers, body } = requestsOf(demo).token
  const response = await fetch(base + path, { method, headers, body })
  const { access_token: issued } = (await response.json()) as { access_token: string }
  return issued
}

function by(request: LoadRequest, bearer: string): LoadRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } }
}

function answersOf({ answers }: Outcome): string {
  const counts = [...answers].toSorted().map(([status, n]) => `${n} × ${status}`)
  return counts.join(', ')
}

function p99Of({ latenciesMs, shedMs }: Outcome) {
  return percentile(
    [...latenciesMs, ...shedMs].toSorted((one, other) => one - other),
    0.99,
  )
}

function ms(value: number) {
  return Number.isNaN(value) ? '–' : value.toFixed(0)
}
