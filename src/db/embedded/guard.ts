import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, fchownSync, openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedPaths } from './place.ts'

/** The guard's exit status when another process holds the folder. */
export const LOCKED = 75

const LOG_BYTES_MAX = 10_000_000

/**
 * A shell between this process and PostgreSQL, in the data folder and in a session of its own, so that Ctrl-C does not
 * reach the server while requests drain.
 *
 * - Descriptor 9 locks the folder. PostgreSQL and each backend inherit it, so it is free only when the last process of an
 *   earlier cluster is gone; a postmaster.pid that is left then means nothing, whatever number it names.
 * - Descriptor 3 is a pipe whose other end is ours. When we end, even by SIGKILL, it closes, and the watcher asks
 *   PostgreSQL to shut down: again and again, for a server that is only just starting may miss a signal.
 */
const SCRIPT = `
exec 3<&0
if command -v flock >/dev/null 2>&1; then
  exec 9>>../lock
  flock -E ${LOCKED} -w "$LOCK_WAIT_S" 9 || exit ${LOCKED}
  rm -f postmaster.pid .s.PGSQL.*
fi
"$@" 3<&- </dev/null >&2 &
server=$!
echo $server
{ read -r ended <&3; while kill -INT $server 2>/dev/null; do sleep 1; done; } 9>&- &
watcher=$!
exec 3<&-
trap 'kill -INT $server 2>/dev/null' INT TERM
status=0
while kill -0 $server 2>/dev/null; do wait $server; status=$?; done
kill $watcher 2>/dev/null
exit $status`

export type Exit = { code: number | null; reason: string }

/** A started server and its guard. */
export type Guarded = {
  /** Resolves when the guard has forked it. */
  pid: Promise<number>
  exited: Promise<Exit>
  /** From now on they do not keep this process alive. */
  unref: () => void
  /** Closes the pipe, as our end would: the server stops. */
  release: () => void
  logFile: string
}

/** Starts PostgreSQL under its guard. */
export function startGuarded(place: EmbeddedPaths, args: readonly string[], lockWaitS: number): Guarded {
  const { uid, gid, isOther } = place.user
  const logFile = join(place.dir, 'postgres.log')
  const log = openLog(logFile, place)
  const shell = ['-c', SCRIPT, 'sh', join(place.binaries.home, 'bin', 'postgres'), ...args]
  const guard = spawn('/bin/sh', shell, {
    ...(isOther && { uid, gid }),
    cwd: place.data,
    detached: true,
    stdio: ['pipe', 'pipe', log],
    env: { ...place.env, LOCK_WAIT_S: String(lockWaitS) },
  })
  closeSync(log)
  return { ...observe(guard), logFile }
}

function observe(guard: ChildProcess): Omit<Guarded, 'logFile'> {
  const exited = new Promise<Exit>((resolve) => {
    guard.once('exit', (code, signal) => resolve({ code, reason: String(signal ?? code) }))
    guard.once('error', (error) => resolve({ code: null, reason: error.message }))
  })
  const { stdin, stdout } = guard
  if (!stdin || !stdout) throw new Error('The guard was started with pipes')
  stdin.on('error', () => {}) // it is only ever closed
  const pid = once(stdout, 'data').then(([line]) => Number(String(line).trim()))
  const unref = () => {
    for (const handle of [guard, stdin, stdout]) if (canUnref(handle)) handle.unref()
  }
  return { pid, exited, unref, release: () => stdin.destroy() }
}

/** The pipes of a child are sockets, which their type does not tell. */
const canUnref = (handle: object): handle is { unref: () => void } => 'unref' in handle

function openLog(file: string, { user }: EmbeddedPaths): number {
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`)
  const descriptor = openSync(file, 'a', 0o600)
  if (user.isOther) fchownSync(descriptor, user.uid, user.gid)
  return descriptor
}
