import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { freePort } from '../support/free-port.ts'
import { build, environment } from '../support/process.ts'

export type Usage = { cpuUs: number; rssBytes: number }

/** Tells on demand what a process has used; the service itself knows nothing of it. */
const PROBE = `process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ cpuUs: user + system, rssBytes: process.memoryUsage.rss() })
})
process.channel.unref()`

const SAID_LENGTH = 10_000
const ASK_MS = 5

export type Measured = Awaited<ReturnType<typeof startMeasured>>

/** A server of ours as a process that can be asked what it has used: `words` is what node runs. Resolves when it is ready. */
export async function startMeasured(words: readonly string[], given: Record<string, string>, ready = '/health/ready') {
  const port = await freePort()
  const probe = ['--import', `data:text/javascript,${encodeURIComponent(PROBE)}`]
  const begun = performance.now()
  const child = spawn(process.execPath, [...probe, ...words], {
    env: environment({ PORT: String(port), LOG_LEVEL: 'warn', ...given }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-SAID_LENGTH)
    })
  }
  const ended = once(child, 'exit')
  const base = `http://127.0.0.1:${port}`
  const hasEnded = () => child.exitCode !== null
  if (!(await untilOk(base + ready, hasEnded))) throw new Error(`The server ended before it was ready:\n${said}`)
  const told = async (message: object): Promise<Usage> => {
    const answer = once(child, 'message')
    child.send(message)
    return (await answer)[0] as Usage
  }
  return {
    base,
    readyMs: performance.now() - begun,
    usage: () => told({}),
    /** Tells the process something that what it imports listens to; resolves when that has been heard, with what it has used. */
    told,
    /** The end of what it wrote: its log, and what is for people. */
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The service as `npm start` runs it, brought up to date, with demo data, without limits of rates. */
export function startServiceOn(folder: string, given: Record<string, string> = {}) {
  build()
  return startMeasured(['dist/main.js'], { DATA_DIR: folder, RATE_LIMITS: 'off', WEBHOOK_WORKER: 'off', ...given })
}

export const demoOf = (folder: string) =>
  DemoCredentials.parse(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')))

async function untilOk(url: string, hasEnded: () => boolean): Promise<boolean> {
  while (!hasEnded()) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return true
    await after(ASK_MS)
  }
  return false
}
