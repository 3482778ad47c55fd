import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { Refusal } from '../io.ts'
import { makeFolder } from './login-file.ts'

const PAUSE_MS = 50
const WAIT_MS = 30_000
/** Longer than a refresh takes: whoever held it has ended. */
const STALE_MS = 20_000

/**
 * Runs `work` while no other command of this user changes the logins. A refresh token is worth nothing once it was used, so two that
 * refresh one at the same moment must take turns, and the second finds the new one. A lock whose holder was killed is taken over.
 * Who waits for it throws when `stopping` aborts.
 */
export async function withLoginLock<Result>(
  folder: string,
  work: () => Promise<Result>,
  stopping?: AbortSignal,
): Promise<Result> {
  makeFolder(folder)
  const path = join(folder, 'credentials.lock')
  const until = performance.now() + WAIT_MS
  while (!take(path)) {
    if (performance.now() > until)
      throw new Refusal({ code: 'login_unusable', message: `Another command holds ${path}: remove it if none runs.` })
    await after(PAUSE_MS, undefined, { signal: stopping })
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && Date.now() - found.mtimeMs > STALE_MS) rmSync(path, { force: true })
  return false
}
