import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { OWNER_IN_FLIGHT_MAX } from '../../src/domain/webhooks/queue/owner-share.ts'
import { percentile } from './drive.ts'
import { shortClients, stalledClients } from './faults-clients.ts'
import { numbersGiven } from './options.ts'
import type { SoakFault } from './soak-faults.ts'
import { putLoadOn, type Seen } from './soak-load.ts'
import { Ear, startEars } from './soak-receivers.ts'
import { createSoakStage } from './soak-stage.ts'

// npm run soak -- --minutes 2 — mixed load, while processes that it started itself are killed at random, the database
// freezes, a table is locked, strangers pipeline and read nothing, and an account has slow receivers; loopback only.
// At the end chat, ledger and receivers must agree, and nobody waited long. Ends with status 1 when they do not.

const runMs = numbersGiven({ minutes: 30 }).minutes * 60_000
const KILL_EVERY_MS = 8_000
/** What is late is not lost: it is waited for as long as some of it arrives. */
const STUCK_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'developer-api-soak-'))
const ANSWER_P95_MS_MAX = 2_000
const SLOW_SUBSCRIPTIONS = 20
const SLOW_MS = 14_000
const SHORT_EVERY_MS = 1_000

const ears = { all: new Ear(0), own: new Ear(0), flaky: new Ear(0.02) }
const slow = new Ear(0, SLOW_MS)
const kills = new Map<string, number>()
/** What broke → the longest time until somebody was answered again. */
const worstMs = new Map<string, number>()
const seen: Seen = {
  answers: new Map(),
  acknowledged: new Map(),
  keyed: new Set(),
  refreshes: 0,
  wrong: [],
  answerMs: [],
  answeredAt: 0,
}

using hooks = await startEars({ ...ears, slow })
await using stage = await createSoakStage(folder)
const { streamer } = stage.demo.users
const subscriptions = {
  all: await subscribe('all', stage.demo.api_key),
  own: await subscribe('own', streamer.access_token),
  flaky: await subscribe('flaky', stage.demo.api_key),
}
const stranger = await takeToken()
for (let n = 0; n < SLOW_SUBSCRIPTIONS; n++) await subscribe('slow', stranger)

const ahead: SoakFault[] = []
const calm = new AbortController()
/** Who ends the run early still has a verdict, and none of its processes stays. */
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
const begun = performance.now()
const load = putLoadOn(stage, seen, hooks.url, calm.signal)
const hostile = stage.bases.flatMap((base) => [shortClients(base, SHORT_EVERY_MS), stalledClients(base, stranger)])
while (!interrupted.signal.aborted && performance.now() - begun < runMs) await breakSomething()
calm.abort()
for (const stop of hostile) stop()
await stage.untilReady()
await load
const calmAt = performance.now()
const wrong = await reckon()
report()
if (wrong.length === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
process.exitCode = wrong.length === 0 ? 0 : 1

async function subscribe(name: keyof typeof ears | 'slow', token: string): Promise<string> {
  const response = await fetch(`${stage.bases[0]}/v1/events/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${hooks.url}/${name}`, event_types: ['chat.message.sent'] }),
  })
  const { data } = (await response.json()) as { data: { id: string; signing_secret: string } }
  if (name !== 'slow') ears[name].secret = data.signing_secret
  return data.id
}

/** The application of the account whose receivers are slow. */
async function takeToken(): Promise<string> {
  const { client_id, client_secret } = stage.demo.other_client
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const response = await fetch(`${stage.bases[0]}/oauth/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Waits for a while, breaks one thing, and sees how long nobody was answered. Everything was broken once before anything is again. */
async function breakSomething() {
  const { signal } = interrupted
  await after(KILL_EVERY_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined)
  if (signal.aborted) return
  if (ahead.length === 0) ahead.push(...shuffled(stage.faults))
  const what = await ahead.pop()?.()
  if (what === undefined) return
  kills.set(what, (kills.get(what) ?? 0) + 1)
  const mendedAt = performance.now()
  while (seen.answeredAt < mendedAt) await after(10)
  const silentMs = seen.answeredAt - mendedAt
  worstMs.set(what, Math.max(worstMs.get(what) ?? 0, silentMs))
}

/** Waits until everything was delivered that was sent, or nothing arrives any more. */
async function untilDelivered(): Promise<void> {
  const { ledger } = stage
  const ours = Object.values(subscriptions)
  let left = Number.POSITIVE_INFINITY
  for (let until = performance.now() + STUCK_MS; performance.now() < until; await after(200)) {
    const [{ n } = { n: 0 }] = await ledger<{ n: number }[]>`
      select (select count(*) from webhook_deliveries where subscription_id in ${ledger(ours)})::int
        + (select count(*) from webhook_fanouts)::int as n`
    if (n === 0) break
    if (n < left) until = performance.now() + STUCK_MS
    left = n
    // who was refused twice waits five minutes by the schedule, which is not what is tried here
    await ledger`update webhook_deliveries set due_at = statement_timestamp()
      where subscription_id in ${ledger(ours)} and lease is null and due_at > statement_timestamp()`
  }
}

/** Everything that does not agree, in words. */
async function reckon(): Promise<string[]> {
  const { ledger } = stage
  const found = [...seen.wrong]
  const expect = (isSo: boolean, otherwise: string) => {
    if (!isSo) found.push(otherwise)
  }
  await untilDelivered()
  const rows = await ledger<{ id: string; content: string }[]>`
    select id, content from chat_messages where content like 'keyed %' or content like 'plain %'`
  const stored = new Map(rows.map(({ id, content }) => [id, content]))
  for (const [id, content] of seen.acknowledged)
    expect(stored.get(id) === content, `The acknowledged message ${id} is lost`)
  const times = new Map<string, number>()
  for (const { content } of rows) times.set(content, (times.get(content) ?? 0) + 1)
  for (const [content, n] of times) expect(n === 1, `"${content}" was said ${n} times`)
  for (const content of seen.keyed) expect(times.has(content), `"${content}" was never said`)

  const gaps = await ledger`
    select channel_id from events where type <> 'webhook.test' group by channel_id
    having count(*) <> max(sequence) or count(distinct sequence) <> count(*)`
  expect(gaps.length === 0, `The numbers of ${gaps.length} channels have gaps or doubles`)
  const [{ n: events } = { n: 0 }] = await ledger<{ n: number }[]>`
    select count(*)::int as n from events
    where type = 'chat.message.sent' and (payload::jsonb -> 'data' ->> 'id') in ${ledger([...stored.keys()])}`
  expect(events === stored.size, `${stored.size} messages made ${events} events`)

  for (const [name, id] of Object.entries(subscriptions) as [keyof typeof ears, string][]) {
    const { accepted, broken } = ears[name]
    expect(broken === 0, `${broken} deliveries to ${name} did not verify`)
    const due = await ledger<{ id: string; outcome: string | null }[]>`
      select e.id, d.outcome from events e join webhook_subscriptions s on s.id = ${id}
      left join webhook_deliveries_done d on d.event_id = e.id and d.subscription_id = s.id
      where e.type = any (s.event_types) and e.occurred_at > s.created_at and (s.user_id is null or s.user_id = e.channel_id)`
    const undelivered = due.filter(({ outcome }) => outcome !== 'delivered')
    expect(undelivered.length === 0, `The ledger lacks ${undelivered.length} of ${due.length} deliveries to ${name}`)
    const unheard = due.filter((event) => !accepted.has(event.id))
    expect(unheard.length === 0, `${name} did not hear of ${unheard.length} of ${due.length} events`)
    expect(accepted.size === due.length, `${name} heard of ${accepted.size} events, not of ${due.length}`)
  }
  expect(answerP95Ms() < ANSWER_P95_MS_MAX, `A twentieth of the answers took longer than ${answerP95Ms()} ms`)
  const { status } = await fetch(`${stage.wrongBase}/health/ready`)
  expect(status === 503, `The process whose clock is wrong says ${status} about its readiness`)
  const bound = total(kills) * OWNER_IN_FLIGHT_MAX
  expect(repeats() <= bound, `${repeats()} deliveries came again; at most ${bound} were in flight`)
  expect(stage.endedAlone() === 0, `Processes ended by themselves: ${stage.endedAlone()}`)
  return found
}

function report() {
  const list = (counts: Map<string, number>) =>
    [...counts].toSorted().map(([name, n]) => `  ${String(n).padStart(8)}  ${name}`)
  const requests = total(seen.answers)
  const seconds = (performance.now() - begun) / 1000
  const deliveries = Object.values(ears).reduce((sum, { accepted }) => sum + accepted.size, 0)
  const lines = [
    `${requests} requests in ${Math.round(seconds)} s, ${seen.acknowledged.size} messages acknowledged (${seen.keyed.size} with a key), ${seen.refreshes} tokens refreshed`,
    ...list(seen.answers),
    `19 of 20 answers came within ${answerP95Ms()} ms`,
    `${total(kills)} faults; in brackets the longest time until anybody was answered again`,
    ...list(kills).map((line) => `${line} (${Math.round(worstMs.get(line.trim().replace(/^\d+ +/, '')) ?? 0)} ms)`),
    `${deliveries} deliveries verified, ${ears.flaky.refused} refused by a receiver and tried again, ${repeats()} came twice`,
    `what was late was delivered ${Math.round((performance.now() - calmAt) / 1000)} s behind the end`,
    wrong.length === 0 ? 'Nothing lost, nothing doubled that should not be.' : `NOT AS IT SHOULD BE (see ${folder}):`,
    ...wrong.slice(0, 50).map((line) => `  ${line}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function shuffled<One>(list: readonly One[]): One[] {
  return list
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((first, second) => first.at - second.at)
    .map(({ one }) => one)
}

function answerP95Ms() {
  const ascending = seen.answerMs.toSorted((one, other) => one - other)
  return Math.round(percentile(ascending, 0.95))
}

function repeats() {
  return Object.values(ears).reduce((sum, ear) => sum + ear.repeats, 0)
}

function total(counts: Map<string, number>) {
  return [...counts.values()].reduce((sum, n) => sum + n, 0)
}
