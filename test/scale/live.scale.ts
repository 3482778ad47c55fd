import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once, setMaxListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { hasNats, startNats } from '../nats/support/server.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { type Service, startProcess, startService } from '../support/process.ts'
import { hasNoGap, Reader } from './readers.ts'
import { missingServers, type Servers, startServers } from './servers.ts'

/*
 * Two API processes, a worker, NATS and PostgreSQL: each of them is killed in turn, while 200 messages a second are sent and 200
 * readers, who come back when they lose their stream, follow the channel.
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
async function send(n: number, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `live-${n}` }
  const body = new URLSearchParams({ room_name: 'streamer', content: `message ${n}` })
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

test.skipIf(missing !== undefined)(
  'no reader misses a message, or gets one twice or out of order, whatever is killed',
  async () => {
    const stop = new AbortController()
    setMaxListeners(0, stop.signal)
    const { access_token: token } = demo.users.streamer
    const readers = Array.from(
      { length: READERS },
      (_, n) => new Reader((attempt) => `${baseOf(n + attempt)}/v1/events?types=chat.message.sent`, token, stop.signal),
    )
    const reading = readers.map((reader) => reader.run())
    await after(2_000)

    const sent: Promise<void>[] = []
    const began = performance.now()
    let inFlight = 0
    const sender = setInterval(() => {
      for (let n = 0; n < MESSAGES_PER_S / 20 && inFlight < IN_FLIGHT_MAX; n++) {
        inFlight++
        sent.push(send(sent.length, token).finally(() => inFlight--))
      }
    }, 50)
    for (const [name, breaks] of faults) {
      await after(CALM_MS)
      process.stdout.write(`killed: ${name}\n`)
      await breaks()
    }
    await after(CALM_MS)
    clearInterval(sender)
    const perSecond = Math.round((sent.length / (performance.now() - began)) * 1_000)
    await Promise.all(sent)

    const last = () => Math.max(...readers.map(({ sequences }) => sequences.at(-1) ?? 0))
    const isCaughtUp = () =>
      readers.every(({ sequences }) => sequences.at(-1) === last() && sequences.length >= sent.length)
    for (const until = performance.now() + CAUGHT_UP_MS; !isCaughtUp() && performance.now() < until; ) await after(100)
    stop.abort()
    await Promise.all(reading)
    const [least = 0] = readers.map(({ sequences }) => sequences.length).toSorted((a, b) => a - b)
    const reconnects = readers.reduce((sum, reader) => sum + reader.reconnects, 0)
    process.stdout.write(
      `${sent.length} messages, ${perSecond} a second; ${readers.length} readers, ${reconnects} times reconnected\n`,
    )
    expect(readers.filter(({ sequences }) => !hasNoGap(sequences)).length).toBe(0)
    expect(least).toBe(sent.length)
  },
  240_000,
)
