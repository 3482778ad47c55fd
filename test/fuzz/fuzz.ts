import { demoOf, startServiceOn } from '../load/measured.ts'
import { numbersGiven } from '../load/options.ts'
import { temporaryFolder } from '../support/folder.ts'
import { Judge } from './judge.ts'
import { type Attempt, type Document, Operations } from './operations.ts'
import { pick, randomOf } from './values.ts'

// npm run fuzz — requests made from the documents of the service, two of three as they allow, the others not; loopback only.
// Ends with status 1 for a 5xx, a status or an error code that the document does not name, and an answer that its schema
// refuses. What is allowed and refused all the same is listed with its reason. `--seed` repeats a run, as far as answers do.

const { requests: REQUESTS, seed: SEED } = numbersGiven({ requests: 5_000, seed: Math.ceil(Math.random() * 1e9) })
const AT_ONCE = 16
const KNOWN_MAX = 200
const LISTED = 40

using folder = temporaryFolder()
await using service = await startServiceOn(folder.path, { STREAM_LIMITS: 'off', CRON_SECRET: 'fuzz-fuzz-fuzz-fuzz' })
const demo = demoOf(folder.path)
const random = randomOf(SEED)
const { streamer, viewer, outsider } = demo.users
/** What the service knows, by the name of the field that asks for it. */
const known: Record<string, string[]> = {
  room_name: [streamer.username, viewer.username, outsider.username],
  slug: [streamer.username, viewer.username],
  user_id: [viewer.id, outsider.id],
  client_id: [demo.other_client.client_id],
  client_secret: [demo.other_client.client_secret],
  id: [],
  messageId: [],
  token: [],
  cursor: [],
}
const documents = await Promise.all(['/openapi.json', '/openapi.extensions.json'].map(documentAt))
const judges = documents.map((document) => new Judge(document, new Operations(document, random, knownOf)))
const every = judges.flatMap((judge) => judge.operations.list.map((operation) => ({ judge, operation })))
const wrong = new Map<string, string>()
const refusals = new Map<string, number>()
const statuses = new Map<number, number>()

let sent = 0
await Promise.all(Array.from({ length: AT_ONCE }, work))
report()
process.exitCode = wrong.size === 0 ? 0 : 1

async function work() {
  while (sent < REQUESTS) {
    sent++
    const { judge, operation } = pick(random, every)
    const attempt = judge.operations.attempt(operation, credential())
    await send(judge, attempt).catch((error: Error) => note(attempt, `no answer: ${error.cause ?? error}`, ''))
  }
}

function credential() {
  const good = [demo.api_key, streamer.access_token, viewer.access_token, outsider.access_token]
  if (random() < 0.9) return { value: pick(random, good), isGood: true }
  return { value: pick(random, [undefined, 'lsat_x', 'x'.repeat(300), demo.api_key.slice(0, -1)]), isGood: false }
}

async function documentAt(path: string): Promise<Document> {
  return (await (await fetch(service.base + path)).json()) as Document
}

function knownOf(name: string): readonly string[] {
  return known[name] ?? []
}

async function send(judge: Judge, attempt: Attempt): Promise<void> {
  const { method, target, headers, body, operation } = attempt
  const init = { method, headers, redirect: 'manual', ...(body !== undefined && { body }) } as const
  const response = await fetch(service.base + target, init)
  const text = await response.text()
  const { status } = response
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const { faults, refusal, value } = judge.judge(attempt, { status, headers: response.headers, text })
  for (const fault of faults) note(attempt, fault, text)
  if (refusal) refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1)
  if (value && !operation.path.startsWith('/oauth/revoke')) learn(value, response.headers.get('link'))
}

/** What an answer names can be asked for. */
function learn(value: unknown, link: string | null) {
  const cursor = link && /[?&](?:cursor|after)=([^&>]+)/.exec(link)?.[1]
  if (cursor) keep('cursor', decodeURIComponent(cursor))
  const { data, access_token: token } = value as { data?: unknown; access_token?: string }
  if (token) keep('token', token)
  for (const id of [data].flat().map(idOf)) if (id) keep(id.startsWith('msg_') ? 'messageId' : 'id', id)
}

function idOf(one: unknown): string | undefined {
  return typeof one === 'object' && one !== null && 'id' in one ? String(one.id) : undefined
}

function keep(name: string, value: string) {
  const list = known[name] ?? []
  list.push(value)
  if (list.length > KNOWN_MAX) list.shift()
}

function note({ method, target, body, operation }: Attempt, what: string, text: string) {
  const name = `${method} ${operation.path}: ${what}`
  if (wrong.has(name)) return
  wrong.set(
    name,
    `${method} ${target.slice(0, 300)}\n    ${String(body ?? '').slice(0, 300)}\n    ${text.slice(0, 300)}`,
  )
}

function report() {
  const counts = [...statuses].toSorted(([one], [other]) => one - other).map(([status, n]) => `${status}: ${n}`)
  const allowed = [...refusals].toSorted(([, one], [, other]) => other - one).slice(0, LISTED)
  const lines = [
    `${sent} requests to ${every.length} operations, seed ${SEED}; ${counts.join(', ')}`,
    `Allowed by the document, and refused for a reason that it does not tell (${refusals.size}):`,
    ...allowed.map(([reason, n]) => `  ${String(n).padStart(6)}  ${reason}`),
    ...(wrong.size > 0 ? ['WRONG:'] : ['Nothing wrong.']),
    ...[...wrong].map(([name, example]) => `  ${name}\n    ${example}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
