import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { environment } from '../support/process.ts'

const RESTART_MS = 200

export type Kept = ReturnType<typeof keep>

/** Runs a process, and another one whenever it has ended, until it is disposed of. */
export function keep(words: string[], env: Record<string, string>, log: NodeJS.WritableStream) {
  let child: ChildProcess
  let isStopping = false
  let isKilled = false
  let isStopped = false
  let endedAlone = 0
  const start = () => {
    child = spawn(process.execPath, words, { env: environment(env) })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    child.once('exit', () => {
      if (isStopping) return
      if (!isKilled) endedAlone++
      isKilled = false
      setTimeout(start, RESTART_MS)
    })
  }
  start()
  return {
    kill: () => {
      isKilled = child.kill('SIGKILL')
      return isKilled
    },
    /** Stops it where it stands, and lets it go on later; false while it stands still already. */
    stopFor: (ms: number) => {
      const stopped = child
      if (isStopped || !stopped.kill('SIGSTOP')) return false
      isStopped = true
      setTimeout(() => {
        isStopped = false
        stopped.kill('SIGCONT')
      }, ms)
      return true
    },
    endedAlone: () => endedAlone,
    [Symbol.asyncDispose]: async () => {
      isStopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

export async function untilReady(base: string): Promise<void> {
  for (;;) {
    const isReady = await fetch(`${base}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
