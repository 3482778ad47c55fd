import { join } from 'node:path'
import type { DatabaseTarget } from '../client.ts'
import { ensureCluster } from './initdb.ts'
import { lastFailure } from './last-failure.ts'
import { findEmbedded, forgetOwner, readOwner, recordOwner, targetIn } from './owner.ts'
import { type EmbeddedPaths, embeddedFolder, preparePaths } from './paths.ts'
import { inUse, type LaunchOptions, launch, type RunningServer, type Settings } from './server.ts'
import { removeSocketFolder } from './socket-folder.ts'

export type EmbeddedOptions = {
  /**
   * DATA_DIR. Its folder `postgres` is this user's alone, with lock, owner.json and postgres.log; `data` in it is the cluster
   * and belongs to the server's user.
   */
  dataDir: string
  /** Override those of the service, as `-c name=value`. */
  settings?: Settings
  /** The user that runs the server when this process is root; by default `developer-api`, `postgres` or `node`. */
  runAs?: string
  /** How long to wait until the processes of an earlier server have exited. */
  lockWaitS?: number
  log?: (line: string) => void
}

export type EmbeddedServer = AsyncDisposable & {
  /** The database of the service, with a role that owns nothing else. */
  target: Exclude<DatabaseTarget, string>
  /** With the superuser, for tests and repairs. */
  admin: Exclude<DatabaseTarget, string>
  /** Whether this start created the cluster. */
  isFresh: boolean
  /** The current postmaster. */
  pid: () => number
  /** Resolves, with one line that says why, when the server has exited twice within a minute and is not restarted. */
  failed: Promise<Error>
  stop: (graceMs?: number) => Promise<void>
}

const RESTART_APART_MS = 60_000

/**
 * Starts the PostgreSQL that npm installed and resolves when it is ready; the first start creates the cluster. The server
 * does not keep this process alive, and stops when this process ends, even by SIGKILL. A server that exits by itself is
 * restarted at once. Throws one line that says what to do: in use, wrong owner, other major version, no binaries, no entry
 * in /etc/passwd.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const log = options.log ?? (() => {})
  const dir = embeddedFolder(options.dataDir)
  const running = findEmbedded(options.dataDir)
  if (running) throw inUse(dir, `process ${running.owner}`)
  const paths = preparePaths(options.dataDir, options.runAs, log)
  removeOldSocket(dir)
  const isFresh = await ensureCluster(paths)
  const first = await launch(paths, { ...options, log })
  recordOwner(paths)
  const { pid, failed, stop } = supervise(paths, first, { ...options, log })
  return {
    target: targetIn(paths.socketDir),
    admin: targetIn(paths.socketDir, 'postgres', 'postgres'),
    isFresh,
    pid,
    failed,
    stop,
    [Symbol.asyncDispose]: () => stop(),
  }
}

function supervise(paths: EmbeddedPaths, first: RunningServer, options: LaunchOptions) {
  let running = first
  let starting: Promise<RunningServer> = Promise.resolve(first)
  let stopping = false
  const failed = new Promise<Error>((giveUp) => {
    const restart = async (restartedAt: number) => {
      const { reason } = await running.exited
      if (stopping) return
      const now = performance.now()
      if (now - restartedAt < RESTART_APART_MS) {
        forgetOwner(paths.dir)
        const logFile = join(paths.dir, 'postgres.log')
        const why = lastFailure(logFile) ?? `see ${logFile}`
        return giveUp(new Error(`PostgreSQL exited twice within a minute (${reason}): ${why}`))
      }
      options.log(`PostgreSQL exited (${reason}): restarting`)
      starting = launch(paths, options)
      starting.then((server) => {
        running = server
        return restart(now)
      }, giveUp)
    }
    void restart(Number.NEGATIVE_INFINITY)
  })
  const stop = async (graceMs?: number) => {
    stopping = true
    await starting.then(
      (server) => server.stop(graceMs),
      () => {}, // the restart failed, so there is nothing to stop
    )
    forgetOwner(paths.dir)
    removeSocketFolder(paths.socketDir)
  }
  return { pid: () => running.pid, failed, stop }
}

/** Removes the socket folder of a process that was killed. */
function removeOldSocket(dir: string): void {
  const previous = readOwner(dir)?.socketDir
  if (previous) removeSocketFolder(previous)
}
