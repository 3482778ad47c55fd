import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { openLock, openOwnLog } from './owned-files.ts'
import type { EmbeddedPaths } from './paths.ts'

/** Exit status of the watchdog when another process has locked the folder. */
export const LOCKED_STATUS = 75

const LOG_BYTES_MAX = 10_000_000

/**
 * A shell that starts PostgreSQL and stops it when this process ends. It has a session of its own, so that Ctrl-C does not
 * stop the server while requests drain, and runs in the data folder.
 *
 * - Descriptor 9 locks the folder; this process opens it, in a folder where the server's user cannot write. PostgreSQL and
 *   all its backends inherit it, so the lock is free only when the last process of an earlier server has exited. A
 *   postmaster.pid that exists then is stale, even if its pid is in use.
 * - Descriptor 3 is a pipe from this process. It closes when this process ends, even by SIGKILL. The shell then sends SIGINT
 *   every second until PostgreSQL has exited, because a server that is just starting may miss a signal.
 * - Nobody may be left to read the pid, when this process ended while the folder was locked. That must not end the shell.
 */
const SCRIPT = `
exec 9<&3 3<&0
if command -v flock >/dev/null 2>&1; then
  flock -E ${LOCKED_STATUS} -w "$LOCK_WAIT_S" 9 || exit ${LOCKED_STATUS}
  rm -f postmaster.pid .s.PGSQL.*
fi
"$@" 3<&- </dev/null >&2 &
server=$!
{ read -r ended <&3; while kill -INT $server 2>/dev/null; do sleep 1; done; } 9>&- &
watcher=$!
exec 3<&-
trap '' PIPE
echo $server
trap 'kill -INT $server 2>/dev/null' INT TERM
status=0
while kill -0 $server 2>/dev/null; do wait $server; status=$?; done
kill $watcher 2>/dev/null
exit $status`

export type Exit = { code: number | null; reason: string }

/** A started server and its watchdog. */
export type WatchedServer = {
  /** The pid of the server, once the watchdog has started it. */
  pid: Promise<number>
  exited: Promise<Exit>
  /** Lets this process exit while they run. */
  unref: () => void
  /** Closes the pipe, so that the server stops as if this process had ended. */
  release: () => void
  logFile: string
}

/** Starts PostgreSQL under a watchdog. */
export function startWithWatchdog(paths: EmbeddedPaths, args: readonly string[], lockWaitS: number): WatchedServer {
  const { uid, gid, isOther } = paths.user
  const logFile = join(paths.dir, 'postgres.log')
  const log = openLog(logFile)
  const lock = openLock(join(paths.dir, 'lock'))
  const shell = ['-c', SCRIPT, 'sh', join(paths.binaries.home, 'bin', 'postgres'), ...args]
  const watchdog = spawn('/bin/sh', shell, {
    ...(isOther && { uid, gid }),
    cwd: paths.data,
    detached: true,
    stdio: ['pipe', 'pipe', log, lock],
    env: { ...paths.env, LOCK_WAIT_S: String(lockWaitS) },
  })
  for (const descriptor of [log, lock]) closeSync(descriptor)
  return { ...observe(watchdog), logFile }
}

function observe(watchdog: ChildProcess): Omit<WatchedServer, 'logFile'> {
  const exited = new Promise<Exit>((resolve) => {
    watchdog.once('exit', (code, signal) => resolve({ code, reason: String(signal ?? code) }))
    watchdog.once('error', (error) => resolve({ code: null, reason: error.message }))
  })
  const { stdin, stdout } = watchdog
  if (!stdin || !stdout) throw new Error('The watchdog was started with pipes')
  stdin.on('error', () => {}) // nothing is written to it
  const pid = once(stdout, 'data').then(([line]) => Number(String(line).trim()))
  const unref = () => {
    for (const handle of [watchdog, stdin, stdout]) if (canUnref(handle)) handle.unref()
  }
  return { pid, exited, unref, release: () => stdin.destroy() }
}

/** The pipes of a child process are sockets, although their type does not say so. */
const canUnref = (handle: object): handle is { unref: () => void } => 'unref' in handle

function openLog(file: string): number {
  const { size = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {}
  if (size > LOG_BYTES_MAX) renameSync(file, `${file}.1`)
  return openOwnLog(file)
}
