import { rmSync } from 'node:fs'
import type { DatabaseTarget } from '../client.ts'
import { ensureCluster } from './cluster.ts'
import { findEmbedded, forgetOwner, readOwner, recordOwner, targetIn } from './owner.ts'
import { type EmbeddedPaths, embeddedFolder, isSocketFolder, preparePlace } from './place.ts'
import { inUse, type LaunchOptions, launch, type RunningServer, type Settings } from './server.ts'

export type EmbeddedOptions = {
  /** DATA_DIR; the cluster lives in `postgres` below it: data, lock, owner.json and postgres.log, for its user only. */
  dataDir: string
  /** Over those of the service, as `-c name=value`. */
  settings?: Settings
  /** Who runs the server when this process is root; else `postgres`, `node` or `nobody`. */
  runAs?: string
  /** How long to wait for the processes of an earlier server to be gone. */
  lockWaitS?: number
  log?: (line: string) => void
}

export type EmbeddedServer = AsyncDisposable & {
  /** The service's own database, by a role that owns nothing else. */
  target: Exclude<DatabaseTarget, string>
  /** The superuser, for tests and repairs. */
  admin: Exclude<DatabaseTarget, string>
  /** Whether the cluster was made by this start. */
  isFresh: boolean
  /** The postmaster that runs now. */
  pid: () => number
  /** Resolves, with one line that says why, when the server died twice within a minute and is not started again. */
  failed: Promise<Error>
  stop: (graceMs?: number) => Promise<void>
}

const RESTART_APART_MS = 60_000

/**
 * Starts the PostgreSQL that npm installed and resolves when it answers; the first time it makes the cluster. The server
 * does not keep this process alive and ends with it, whatever ends it. A server that dies alone is started again at once.
 * Throws one line that says what to do: in use, wrong owner, other major version, no binaries, no entry in /etc/passwd.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const log = options.log ?? (() => {})
  const dir = embeddedFolder(options.dataDir)
  const running = findEmbedded(options.dataDir)
  if (running) throw inUse(dir, `process ${running.owner}`)
  removeOldSocket(dir)
  const place = preparePlace(options.dataDir, options.runAs, log)
  const isFresh = await ensureCluster(place)
  const first = await launch(place, { ...options, log })
  recordOwner(place)
  const { pid, failed, stop } = supervise(place, first, { ...options, log })
  return {
    target: targetIn(place.socketDir),
    admin: targetIn(place.socketDir, 'postgres', 'postgres'),
    isFresh,
    pid,
    failed,
    stop,
    [Symbol.asyncDispose]: () => stop(),
  }
}

function supervise(place: EmbeddedPaths, first: RunningServer, options: LaunchOptions) {
  let running = first
  let starting: Promise<RunningServer> = Promise.resolve(first)
  let stopping = false
  const failed = new Promise<Error>((giveUp) => {
    const restart = async (restartedAt: number) => {
      const { reason } = await running.exited
      if (stopping) return
      const now = performance.now()
      if (now - restartedAt < RESTART_APART_MS) {
        forgetOwner(place.dir)
        return giveUp(new Error(`PostgreSQL ended twice within a minute (${reason}): see ${place.dir}/postgres.log`))
      }
      options.log(`PostgreSQL ended (${reason}); it is started again`)
      starting = launch(place, options)
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
      () => {}, // it did not come back, so there is nothing to stop
    )
    forgetOwner(place.dir)
    if (place.socketDir !== place.data) rmSync(place.socketDir, { recursive: true, force: true })
  }
  return { pid: () => running.pid, failed, stop }
}

/** A killed process leaves the folder of a long path's socket behind. Only what `preparePlace` can have made is removed. */
function removeOldSocket(dir: string): void {
  const left = readOwner(dir)?.socketDir
  if (left && isSocketFolder(left)) rmSync(left, { recursive: true, force: true })
}
