import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once, setMaxListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { hasNats, startNats } from '../nats/support/server.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { type Service, startProcess, startService } from '../support/process.ts'
import { hasNoGap, Reader } from './readers.ts'
import { missingServers, type Servers, startServers } from './servers.ts'

/*
 * Two API processes, a worker, NATS and PostgreSQL: each of them is killed in turn, while 200 messages a second are sent, into one
 * room or into many, to 200 readers, who come back when they lose their stream.
 */
const missing = missingServers() ?? (hasNats ? undefined : 'needs the package nats-server')
if (missing) process.stdout.write(`skipped: live events while each server is killed: ${missing}\n`)

const READERS = 200
const MESSAGES_PER_S = 200
/** Where the machine is slower, or what was killed is not back yet, messages wait for those before them. */
const IN_FLIGHT_MAX = 400
const CALM_MS = 4_000
const CAUGHT_UP_MS = 60_000

const folder = temporaryFolder()
let servers: Servers
let nats: Awaited<ReturnType<typeof startNats>>
let demo: DemoCredentials
const ports: number[] = []
const running: Service[] = []
let worker: Awaited<ReturnType<typeof startProcess>>
let shared: Record<string, string>

beforeAll(async () => {
  if (missing) return
  servers = await startServers()
  nats = await startNats()
  shared = {
    DATABASE_URL: servers.direct,
    NATS_URL: nats.url,
    SECRET_KEYS: randomBytes(32).toString('base64url'),
    DATA_DIR: folder.path,
    RATE_LIMITS: 'off',
    STREAM_LIMITS: 'off',
  }
  for (const n of [0, 1]) {
    ports[n] = await freePort()
    running[n] = await startApi(n)
  }
  worker = await startWorker()
  demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8'))
}, 120_000)

afterAll(async () => {
  if (missing) return
  // what did not start has nothing to end: its failure is the one that is told
  for (const one of [...running, worker, nats, servers]) await one?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
}, 60_000)

const startApi = (n: number) =>
  startService({ ...shared, WEBHOOK_WORKER: 'off', PORT: String(ports[n]), DEMO_DATA: n === 0 ? 'on' : 'off' })
const startWorker = () => startProcess(shared, ['bin/developer-api.mjs', 'worker'])
const baseOf = (n: number) => `http://127.0.0.1:${ports[n % 2]}`

/** Sends until it is acknowledged, once, whatever is killed meanwhile. */
async function send({ n, room, token }: { n: number; room: string; token: string }) {
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `${room}-${n}` }
  const body = new URLSearchParams({ room_name: room, content: `message ${n}` })
  for (let attempt = n; ; attempt++) {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(`${baseOf(attempt)}/v1/chat/messages`, {
      method: 'POST',
      headers,
      body,
      signal,
    }).catch(() => undefined)
    await response?.arrayBuffer().catch(() => undefined)
    if (response?.status === 201) return
    await after(50)
  }
}

/** The first channels by name that are not among those which the other test counts in. */
async function roomsOf(count: number): Promise<string[]> {
  if (count === 1) return ['streamer']
  const headers = { authorization: `Bearer ${demo.api_key}` }
  const response = await fetch(`${baseOf(0)}/v1/channels/?limit=100`, { headers })
  const { data } = (await response.json()) as { data: { username: string }[] }
  return data
    .map(({ username }) => username)
    .filter((name) => !(name in demo.users))
    .slice(0, count)
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

const faults: [name: string, breaks: () => Promise<void>][] = [
  [
    'an API process',
    async () => {
      await kill(running[0]?.child ?? spawn('true'))
      running[0] = await startApi(0)
    },
  ],
  [
    'the other one',
    async () => {
      await kill(running[1]?.child ?? spawn('true'))
      running[1] = await startApi(1)
    },
  ],
  [
    'the worker, which relays',
    async () => {
      await kill(worker.child)
      worker = await startWorker()
    },
  ],
  ['NATS', () => nats.restart()],
  ['PostgreSQL', () => servers.killPrimary()],
]

/** How many messages were acknowledged, and when the calm before a fault began. */
type Calm = { acknowledged: number; at: number }

/** Sends at a constant rate, whatever is answered, until it is stopped: message n to room n, in turn, by person n. */
class Sender {
  readonly sentTo: number[]
  readonly #sent: Promise<void>[] = []
  readonly #timer: NodeJS.Timeout
  #acknowledged = 0
  #calmMs = 0
  #calmCount = 0

  constructor(rooms: readonly string[], tokens: readonly string[]) {
    this.sentTo = rooms.map(() => 0)
    this.#timer = setInterval(() => {
      for (let n = 0; n < MESSAGES_PER_S / 20 && this.#sent.length - this.#acknowledged < IN_FLIGHT_MAX; n++)
        this.#send(rooms, tokens)
    }, 50)
  }

  #send(rooms: readonly string[], tokens: readonly string[]) {
    const n = this.#sent.length
    const room = n % rooms.length
    this.sentTo[room] = (this.sentTo[room] ?? 0) + 1
    const sent = send({ n, room: rooms[room] ?? '', token: tokens[n % tokens.length] ?? '' })
    this.#sent.push(sent.then(() => void this.#acknowledged++))
  }

  /** While nothing is broken; counts what is acknowledged. */
  async calm() {
    const before: Calm = { acknowledged: this.#acknowledged, at: performance.now() }
    await after(CALM_MS)
    this.#calmCount += this.#acknowledged - before.acknowledged
    this.#calmMs += performance.now() - before.at
  }

  /** Sends no more; resolves once all is acknowledged. */
  async stop(): Promise<{ messages: number; perSecond: number }> {
    clearInterval(this.#timer)
    await Promise.all(this.#sent)
    return { messages: this.#sent.length, perSecond: Math.round((this.#calmCount / this.#calmMs) * 1_000) }
  }
}

describe.skipIf(missing !== undefined)('no reader misses a message, or gets one twice or out of order', () => {
  test.each([1, 20])(
    'whatever is killed, of %i rooms',
    async (count) => {
      const stop = new AbortController()
      setMaxListeners(0, stop.signal)
      const rooms = await roomsOf(count)
      const readers = Array.from({ length: READERS }, (_, n) => {
        const path = `/v1/events?types=chat.message.sent&channel=${rooms[n % count]}`
        return new Reader((attempt) => `${baseOf(n + attempt)}${path}`, demo.api_key, stop.signal)
      })
      const reading = readers.map((reader) => reader.run())
      await after(2_000)

      const sender = new Sender(
        rooms,
        Object.values(demo.users).map((user) => user.access_token),
      )
      for (const [name, breaks] of faults) {
        await sender.calm()
        process.stdout.write(`killed: ${name}\n`)
        await breaks()
      }
      await sender.calm()
      const { messages, perSecond } = await sender.stop()

      const wantedOf = (n: number) => sender.sentTo[n % count] ?? 0
      const isCaughtUp = () => readers.every(({ sequences }, n) => sequences.length >= wantedOf(n))
      for (const until = performance.now() + CAUGHT_UP_MS; !isCaughtUp() && performance.now() < until; )
        await after(100)
      stop.abort()
      await Promise.all(reading)
      const reconnects = readers.reduce((sum, reader) => sum + reader.reconnects, 0)
      process.stdout.write(
        `${messages} messages, ${perSecond} a second while nothing was away; ${READERS} readers, ${reconnects} times reconnected\n`,
      )
      expect(readers.filter(({ sequences }) => !hasNoGap(sequences)).length).toBe(0)
      expect(readers.map(({ sequences }) => sequences.length)).toEqual(readers.map((_, n) => wantedOf(n)))
    },
    240_000,
  )
})
