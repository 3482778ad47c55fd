import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expectSecretFree } from '../../support/log.ts'
import type { WorkerOrder } from './worker-process.ts'

const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

export type WorkerProcess = AsyncDisposable & {
  /** SIGKILL; resolves when the process is gone. */
  kill: () => Promise<void>
  /** SIGSTOP: its event loop stops, while time and everybody else go on. */
  block: () => void
  unblock: () => void
  /** How many results came when another worker held the lease. */
  lostLeases: () => Promise<number>
  /** SIGTERM; resolves with its exit status. */
  stop: () => Promise<number | null>
}

/** Starts the delivery loop as a process of its own and resolves when it runs. */
export async function startWorkerProcess(order: WorkerOrder): Promise<WorkerProcess> {
  const child = fork(script, [JSON.stringify(order)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`The worker ended before it was ready: ${output}`))),
  ])
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return {
    kill,
    block: () => child.kill('SIGSTOP'),
    unblock: () => child.kill('SIGCONT'),
    lostLeases: async () => {
      const told = once(child, 'message')
      child.send('metrics')
      const [lost] = (await told) as [number]
      return lost
    },
    stop: async () => {
      child.kill('SIGTERM')
      const [status] = (await ended) as [number | null]
      return status
    },
    [Symbol.asyncDispose]: async () => {
      await kill()
      expectSecretFree(output)
    },
  }
}
