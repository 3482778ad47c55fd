import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setInterval } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import type { EmbeddedOptions } from '../../../src/db/embedded/supervisor.ts'
import { bundle } from '../../support/bundle.ts'
import { parentOfData } from '../../support/folder.ts'

/** What `hold.ts` prints first. */
type Ready = { node: number; server: number; isFresh: boolean; rows: number; host: string }

/** A process that holds the embedded database, seen from outside. */
export type Held = Ready & {
  error: string | undefined
  child: ChildProcess
  /** What it printed since, line by line. */
  lines: string[]
  log: () => string
  /** Resolves with the exit status, when all it printed has arrived. */
  ended: Promise<number | null>
}

export type HoldOptions = EmbeddedOptions & { write?: number }

export type HoldWith = {
  /** A command that runs the rest of the line as somebody or somewhere else. */
  via?: readonly string[]
  /** Another place of the bundle. */
  script?: string
}

/** `hold.ts`, runnable. */
export const holdScript = join(await bundle([fileURLToPath(new URL('hold.ts', import.meta.url))]), 'hold.mjs')
const started = new Set<number>()

vi.setConfig({ testTimeout: 60_000 }) // whole processes start and recover, on machines that may be busy

/** Starts `hold.ts`, which need not get as far as its first line. */
export function startHold(options: HoldOptions, { via = [], script = holdScript }: HoldWith = {}) {
  const [command = '', ...args] = [...via, process.execPath, script, JSON.stringify(options)]
  const child = spawn(command, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  if (child.pid) started.add(child.pid)
  return child
}

/** Starts `hold.ts` and resolves with its first line. */
export async function hold(options: HoldOptions, { via = [], ...how }: HoldWith = {}): Promise<Held> {
  const child = startHold(options, { via, ...how })
  const lines: string[] = []
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ended = once(child, 'close').then(([status]) => status as number | null)
  await Promise.race([once(reader, 'line'), ended])
  const [first] = lines
  if (!first) throw new Error(`hold.ts ended without a line: ${log}`)
  const ready = JSON.parse(first) as Ready & { error?: string }
  const isOurNumbering = via[0] !== 'unshare' // else its numbers name other processes here
  if (isOurNumbering) for (const pid of [ready.node, ready.server]) if (pid) started.add(pid)
  return { ...ready, error: ready.error, child, lines, log: () => log, ended }
}

/** Stops it as a supervisor of processes would; resolves with the last line it printed. */
export async function stop(held: Held): Promise<unknown> {
  if (held.error !== undefined) throw new Error(`It did not start: ${held.error}\n${held.log()}`)
  process.kill(held.node, 'SIGTERM')
  const status = await held.ended
  if (status !== 0) throw new Error(`It ended with ${status}: ${held.log()}`)
  return JSON.parse(held.lines.at(-1) ?? 'null')
}

/** SIGKILL; what is gone already is as good as killed. */
export function kill(...pids: (number | undefined)[]): void {
  for (const pid of pids) {
    try {
      if (pid) process.kill(pid, 'SIGKILL')
    } catch {
      // gone
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Waits for what can only be observed from outside, such as the end of somebody else's process. */
export async function until(what: string, probe: () => boolean): Promise<void> {
  const limit = AbortSignal.timeout(30_000)
  for await (const _ of setInterval(5)) {
    if (probe()) return
    if (limit.aborted) throw new Error(`Not within 30 s: ${what}`)
  }
}

/** Asked of every process: the kernel's own list of children may leave one out while others come and go. */
export const children = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((other) => other > 0 && isChildOf(pid, other))

function isChildOf(pid: number, other: number): boolean {
  try {
    return parent(other) === pid
  } catch {
    return false // gone meanwhile
  }
}

export const parent = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** Whether a process has worked for more than 50 ms: a backend with nothing to do only waits for its client. */
export const hasWorked = (pid: number): boolean =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]) > 5

const isRoot = process.getuid?.() === 0

/** Whether the tools of a case are there; what is missing is said in the name of the skipped test. */
export function lacks(needs: { root?: boolean; tools?: readonly string[] }): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  if (needs.root && !isRoot) return 'needs root'
  const missing = needs.tools?.filter(
    (tool) => !['/usr/bin', '/bin', '/usr/sbin'].some((dir) => existsSync(join(dir, tool))),
  )
  return missing?.length ? `needs ${missing.join(' and ')}` : undefined
}

/** A folder that other users can enter, with a new one for each case in it. Removed, with every process started, at the end. */
export function makeBase(parent = parentOfData): {
  folder: (name: string) => string
  path: string
  dispose: () => void
} {
  const path = mkdtempSync(join(parent, `developer-api-test-${process.pid}-embedded-`))
  chmodSync(path, 0o755)
  return {
    path,
    folder: (name) => join(path, name),
    dispose: () => {
      kill(...started)
      rmSync(path, { recursive: true, force: true })
    },
  }
}
