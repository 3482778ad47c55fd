import { readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type Exit, type Guarded, LOCKED, startGuarded } from './guard.ts'
import { startOf } from './identity.ts'
import { PORT } from './owner.ts'
import type { EmbeddedPaths } from './place.ts'

export type Settings = Record<string, string | number>

// fsync, full_page_writes and synchronous_commit keep their defaults: what was acknowledged survives a crash
const SETTINGS: Settings = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  max_connections: 60,
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  io_method: 'sync',
  huge_pages: 'off',
  dynamic_shared_memory_type: 'mmap', // /dev/shm is 64 MB in a container
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_min_messages: 'warning',
}

const READY_MS = 120_000
const ASK_MS = 5

/** A server that answers. `stop` shuts it down, by force after `graceMs`. */
export type RunningServer = { pid: number; exited: Promise<Exit>; stop: (graceMs?: number) => Promise<void> }

export type LaunchOptions = { settings?: Settings; lockWaitS?: number; log: (line: string) => void }

/** Starts the server of a cluster and resolves when it answers. Throws one line when it does not, or is in use. */
export async function launch(
  place: EmbeddedPaths,
  { settings, lockWaitS = 20, log }: LaunchOptions,
): Promise<RunningServer> {
  const orphan = stopOrphan(place.data)
  if (orphan) log(`PostgreSQL ${orphan} was left over by a process that was killed; it is asked to stop`)
  const guarded = startGuarded(place, argumentsFor(place, settings), lockWaitS)
  const pid = await untilReady(guarded, place)
  guarded.unref()
  let isOver = false
  void guarded.exited.then(() => {
    isOver = true
  })
  return {
    pid,
    exited: guarded.exited,
    stop: async (graceMs = 10_000) => {
      if (!isOver) signal(pid, 'SIGINT') // fast: open transactions roll back, a checkpoint is written
      const force = setTimeout(signal, graceMs, pid, 'SIGQUIT') // at once; the next start recovers
      await guarded.exited
      clearTimeout(force)
      guarded.release()
    },
  }
}

function argumentsFor(place: EmbeddedPaths, settings: Settings = {}): string[] {
  const folder = place.socketDir === place.data ? place.nameOf(place.data) : place.socketDir
  const all = { ...SETTINGS, unix_socket_directories: folder, ...settings }
  return ['-D', place.nameOf(place.data), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** Line 8 of postmaster.pid says "ready"; line 1 must be the process that we started. */
async function untilReady(guarded: Guarded, place: EmbeddedPaths): Promise<number> {
  const pid = await Promise.race([guarded.pid, guarded.exited])
  if (typeof pid !== 'number') throw failureOf(pid, guarded, place)
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; ) {
    const lines = pidFile(place.data)
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return pid
    const exit = await Promise.race([guarded.exited, after(ASK_MS)])
    if (exit) throw failureOf(exit, guarded, place)
  }
  guarded.release()
  throw new Error(`PostgreSQL was not ready within ${READY_MS / 1000} s: see ${guarded.logFile}`)
}

function failureOf({ code, reason }: Exit, { logFile }: Guarded, { dir }: EmbeddedPaths): Error {
  if (code === LOCKED) return inUse(dir, 'another process')
  const lastLines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-3).join(' | ')
  return new Error(`PostgreSQL did not start (${reason}): ${lastLines}`)
}

export function inUse(dir: string, by: string): Error {
  return new Error(
    `The embedded database in ${dir} is in use by ${by}: stop it, or set DATABASE_URL to share one database`,
  )
}

/** A postmaster that outlived its process and its guard is asked to stop; the guard's lock then waits for its end. */
function stopOrphan(data: string): number | undefined {
  const pid = Number(pidFile(data)[0])
  if (!pid || !isPostmasterOf(pid, data)) return undefined
  signal(pid, 'SIGINT')
  return pid
}

function isPostmasterOf(pid: number, data: string): boolean {
  if (process.platform !== 'linux' || startOf(pid) === undefined) return false // macOS: PostgreSQL's own check has to do
  try {
    const [command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return basename(command) === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === data
  } catch {
    return false // it ended meanwhile, or is somebody else's
  }
}

function pidFile(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}
