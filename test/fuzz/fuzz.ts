import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { TOTP, URI } from 'otpauth'
import { demoOf, startServiceOn } from '../load/measured.ts'
import { numbersGiven } from '../load/options.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { Agents } from './agents.ts'
import { Credentials } from './credentials.ts'
import { Described } from './described.ts'
import { Encoders } from './encoders.ts'
import { Knowledge } from './knowledge.ts'
import type { Document } from './operations.ts'
import { Pages } from './pages.ts'
import { Procedures } from './procedures.ts'
import { receiveAnything } from './receiver.ts'
import type { Attempt, Source } from './source.ts'
import { newestMails, openTeam, type Team } from './team.ts'
import { pick, randomOf } from './values.ts'

// npm run fuzz — requests made from what the service says of itself: its documents, the procedures at /trpc, the tools of agents, the
// forms of its pages, and what media servers call; loopback only. Two of three are as they may be, the others not. Ends with
// status 1 for a 5xx, a status or an error code that is not declared, and an answer that its schema refuses. What is allowed and
// refused all the same is listed with its reason. `--seed` repeats a run, as far as answers do.

const { requests: REQUESTS, seed: SEED } = numbersGiven({ requests: 5_000, seed: Math.ceil(Math.random() * 1e9) })
const AT_ONCE = 16
const LISTED = 80
/** After so many requests others take the place of the people, who have lost much by then: sessions, applications, accounts. */
const TEAM_LASTS = 600
const STREAM_MS = 200
/** What the service writes of a failure may arrive after its answer. */
const LOG_MS = 500
const MAILS_EVERY = 50
const CRON_SECRET = 'fuzz-fuzz-fuzz-fuzz'

using folder = temporaryFolder()
await using receiver = await receiveAnything()
const ingestPort = await freePort()
await using service = await startServiceOn(folder.path, {
  STREAM_LIMITS: 'off',
  CRON_SECRET,
  WEBHOOK_WORKER: 'on',
  INGEST_PORT: String(ingestPort),
})
const demo = demoOf(folder.path)
const mails = join(folder.path, 'mail')
const random = randomOf(SEED)
const knowledge = new Knowledge(random)
tellOfDemo()
knowledge.settle()
const team = await openTeam(service.base, mails)
const credentials = new Credentials(random, knowledge, { demo, team, cronSecret: CRON_SECRET })
tellOf(team)
const sources = await openSources()
/** Each source as often as there are kinds of requests in it. */
const turns = sources.flatMap((source) => Array.from({ length: source.size }, () => source))
const wrong = new Map<string, string>()
const refusals = new Map<string, number>()
const statuses = new Map<number, number>()
const asked = new Set<string>()
const succeeded = new Set<string>()
/** Told by Node of any request. */
const TOO_LARGE_A_HEAD = 431

let sent = 0
await Promise.all(Array.from({ length: AT_ONCE }, work))
report()
process.exitCode = wrong.size === 0 ? 0 : 1

async function openSources(): Promise<Source[]> {
  const { base } = service
  const documents = await Promise.all(['/openapi.json', '/openapi.extensions.json'].map(documentAt))
  return [
    ...documents.map((document) => new Described(document, random, knowledge, credentials)),
    new Procedures(random, knowledge, credentials),
    await Agents.open(base, random, knowledge, credentials),
    new Pages(base, random, knowledge, credentials),
    new Encoders(random, knowledge, `http://127.0.0.1:${ingestPort}/internal/ingest`),
  ]
}

async function documentAt(path: string): Promise<Document> {
  return (await (await fetch(service.base + path)).json()) as Document
}

async function work() {
  while (sent < REQUESTS) {
    sent++
    if (sent % TEAM_LASTS === 0) await changeTeam()
    if (sent % MAILS_EVERY === 0) learnLinks()
    const attempt = await pick(random, turns).attempt()
    await send(attempt).catch((error: Error) => note(attempt, `no answer: ${error.cause ?? error}`, ''))
  }
}

async function changeTeam() {
  credentials.team = await openTeam(service.base, mails)
  knowledge.forget()
  tellOf(credentials.team)
}

async function send(attempt: Attempt): Promise<void> {
  const { method, target, headers, body, isStream = false } = attempt
  const given = { method, headers, redirect: 'manual', body: body ?? null } as const
  const response = await fetch(new URL(target, service.base), given)
  const text = await bodyOf(response, isStream)
  const { status } = response
  count(attempt.name, status)
  if (status === TOO_LARGE_A_HEAD) return
  const { faults, refusal, value } = attempt.judge({ status, headers: response.headers, text })
  for (const fault of faults) await note(attempt, fault, text)
  if (refusal) refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1)
  if (value === undefined || attempt.noun === 'revoke') return
  knowledge.learn(value)
  learnFactor(value)
  const cursor = /[?&](?:cursor|after)=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
  if (cursor) knowledge.learn({ next: decodeURIComponent(cursor) })
}

function count(name: string, status: number) {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  asked.add(name)
  if (status < 400) succeeded.add(name)
}

/** All of an answer; of a stream what comes at once. */
async function bodyOf(response: Response, isStream: boolean): Promise<string> {
  if (!isStream || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const read = async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  }
  await Promise.race([read(), after(STREAM_MS)])
  await reader?.cancel()
  return text
}

function tellOfDemo() {
  const { users } = demo
  const people = [users.streamer, users.viewer, users.outsider]
  for (const { id, username } of people) {
    knowledge.keep('room_name', username)
    knowledge.keep('slug', username)
    knowledge.keep('channel', username)
    knowledge.keep('user_id', id)
  }
  const verifier = 'v'.repeat(43)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  knowledge.keep('code_verifier', verifier)
  knowledge.keep('code_challenge', challenge)
  knowledge.keep('code_challenge_method', 'S256')
  knowledge.keep('response_type', 'code')
  knowledge.keep('scope', 'user:read chat:read', 'channel:read', 'openid profile email')
  knowledge.keep('prompt', 'none', 'login', 'consent')
  knowledge.keep('resource', service.base, `${service.base}/mcp`)
  knowledge.keep('next', '/console/', '//elsewhere.example', '/device?user_code=x')
  knowledge.keep('decision', 'allow', 'deny')
  knowledge.keep('event_types', ['chat.message.sent'], ['livestream.started', 'channel.updated'])
  knowledge.keep('types', 'chat.message.sent', 'chat.message.sent,livestream.started')
  knowledge.keep('since', new Date(Date.now() - 3_600_000).toISOString())
  knowledge.keep('from', new Date(Date.now() - 3_600_000).toISOString())
  knowledge.keep('to', new Date().toISOString())
  for (const path of ['', '/500', '/410', '/302']) knowledge.keep('url', receiver.base + path)
  knowledge.keep('deliveries status', '204', '5xx', 'none')
}

function tellOf({ people, application: { client_id, client_secret }, others: [, streamKey = ''] }: Team) {
  for (const { username, email, password } of people) {
    knowledge.keep('room_name', username)
    knowledge.keep('username', username, email)
    knowledge.keep('email', email)
    for (const name of ['password', 'current_password']) knowledge.keep(name, password)
  }
  knowledge.keep('client_id', client_id)
  knowledge.keep('client_secret', client_secret)
  knowledge.keep('redirect_uri', 'http://127.0.0.1:4000/callback')
  knowledge.keep('application_id', client_id)
  knowledge.keep('cli id', client_id)
  knowledge.keep('stream key', streamKey)
}

/** The tokens of links in mails, for the pages that they lead to and what the console calls with them. */
function learnLinks() {
  for (const [, token] of newestMails(mails).matchAll(/\?token=(\S+)/g)) {
    knowledge.keep('pages token', token)
    knowledge.keep('people token', token)
  }
}

/** The code of an authenticator that somebody begins to set up. */
function learnFactor(value: unknown) {
  const [address] = /otpauth:[^"]+/.exec(JSON.stringify(value) ?? '') ?? []
  const totp = address && URI.parse(address)
  if (totp instanceof TOTP) knowledge.keep('account.totp code', totp.generate())
}

async function note({ method, target, body, name }: Attempt, what: string, text: string) {
  const known = `${name}: ${what.slice(0, 500)}`
  if (wrong.has(known)) return
  const shown = [`${method} ${target}`, String(body ?? ''), text].map((one) => one.slice(0, 300))
  wrong.set(known, shown.join('\n    '))
  if (!what.startsWith('5')) return
  await after(LOG_MS)
  const errors = service.said().match(/^.*"level":"error".*$/gm) ?? []
  wrong.set(known, [`at ${new Date().toISOString()}`, ...shown, ...errors.slice(-2)].join('\n    '))
}

function report() {
  const counts = [...statuses].toSorted(([one], [other]) => one - other).map(([status, n]) => `${status}: ${n}`)
  const allowed = [...refusals].toSorted(([, one], [, other]) => other - one).slice(0, LISTED)
  const lines = [
    `${sent} requests of ${turns.length} kinds, seed ${SEED}; ${counts.join(', ')}`,
    `Never done (${asked.size - succeeded.size}): ${[...asked].filter((name) => !succeeded.has(name)).join(', ')}`,
    `As they may be, and refused for a reason that no schema tells (${refusals.size}):`,
    ...allowed.map(([reason, n]) => `  ${String(n).padStart(6)}  ${reason}`),
    ...(wrong.size > 0 ? ['WRONG:'] : ['Nothing wrong.']),
    ...[...wrong].map(([name, example]) => `  ${name}\n    ${example}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
