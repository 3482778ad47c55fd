import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { lastFailure } from './last-failure.ts'
import { readHead } from './owned-files.ts'
import { PORT } from './owner.ts'
import type { EmbeddedPaths } from './paths.ts'
import { startOf } from './process-identity.ts'
import type { ServerUser } from './server-user.ts'
import { type Exit, LOCKED_STATUS, startWithWatchdog, type WatchedServer } from './watchdog.ts'

export type Settings = Record<string, string | number>

// fsync, full_page_writes and synchronous_commit keep their defaults, so that acknowledged writes survive a crash
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

/** A server that accepts connections. `stop` shuts it down, by force after `graceMs`. */
export type RunningServer = { pid: number; exited: Promise<Exit>; stop: (graceMs?: number) => Promise<void> }

export type LaunchOptions = { settings?: Settings; lockWaitS?: number; log: (line: string) => void }

/** Starts the server of a cluster and resolves when it is ready. Throws one line if it does not start or is in use. */
export async function launch(
  paths: EmbeddedPaths,
  { settings, lockWaitS = 20, log }: LaunchOptions,
): Promise<RunningServer> {
  const orphan = stopOrphan(paths)
  if (orphan) log(`Stopping PostgreSQL ${orphan}, which a killed process left running`)
  const watched = startWithWatchdog(paths, argumentsFor(paths, settings), lockWaitS)
  const pid = await untilReady(watched, paths)
  watched.unref()
  let isOver = false
  void watched.exited.then(() => {
    isOver = true
  })
  return {
    pid,
    exited: watched.exited,
    stop: async (graceMs = 10_000) => {
      if (!isOver) signal(pid, paths.user, 'SIGINT') // fast shutdown: rolls back open transactions and writes a checkpoint
      const force = setTimeout(signal, graceMs, pid, paths.user, 'SIGQUIT') // immediate shutdown: the next start recovers
      await watched.exited
      clearTimeout(force)
      watched.release()
    },
  }
}

function argumentsFor(paths: EmbeddedPaths, settings: Settings = {}): string[] {
  const folder = paths.socketDir === paths.data ? paths.nameOf(paths.data) : paths.socketDir
  const all = { ...SETTINGS, unix_socket_directories: folder, ...settings }
  return ['-D', paths.nameOf(paths.data), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** Waits until line 8 of postmaster.pid is "ready" and line 1 is the pid of this server. */
async function untilReady(watched: WatchedServer, paths: EmbeddedPaths): Promise<number> {
  const pid = await Promise.race([watched.pid, watched.exited])
  if (typeof pid !== 'number') throw failureOf(pid, watched, paths)
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; ) {
    const lines = pidFile(paths.data)
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return pid
    const exit = await Promise.race([watched.exited, after(ASK_MS)])
    if (exit) throw failureOf(exit, watched, paths)
  }
  watched.release()
  throw new Error(`PostgreSQL was not ready within ${READY_MS / 1000} s: see ${watched.logFile}`)
}

function failureOf({ code, reason }: Exit, { logFile }: WatchedServer, { dir }: EmbeddedPaths): Error {
  if (code === LOCKED_STATUS) return inUse(dir, 'another process')
  return new Error(`PostgreSQL did not start (${reason}): ${lastFailure(logFile) ?? `see ${logFile}`}`)
}

export function inUse(dir: string, by: string): Error {
  return new Error(
    `The embedded database in ${dir} is in use by ${by}: stop it, or set DATABASE_URL to share one database`,
  )
}

/** Stops a postmaster that outlived its parent and its watchdog. The next watchdog waits for the lock that it holds. */
function stopOrphan({ data, user }: EmbeddedPaths): number | undefined {
  const pid = Number(pidFile(data)[0])
  if (!pid || !isPostmasterOf(pid, data)) return undefined
  signal(pid, user, 'SIGINT')
  return pid
}

function isPostmasterOf(pid: number, data: string): boolean {
  if (process.platform !== 'linux' || startOf(pid) === undefined) return false // on macOS PostgreSQL's own check of the pid file must suffice
  try {
    const [command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return basename(command) === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === data
  } catch {
    return false // it has exited, or belongs to another user
  }
}

const pidFile = (data: string): string[] => readHead(join(data, 'postmaster.pid'))?.split('\n') ?? []

/** The server's user may have made the number up: nobody else's process gets a signal by it. */
function signal(pid: number, user: ServerUser, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    if (user.isOther && process.platform === 'linux' && statSync(`/proc/${pid}`).uid !== user.uid) return
    process.kill(pid, name)
  } catch {
    // it has exited
  }
}
