import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/free-port.ts'

/** Debian's package `nats-server`; the tests that need it say so where there is none. */
export const hasNats = spawnSync('nats-server', ['--version']).status === 0
if (!hasNats) process.stdout.write('skipped: no nats-server here (Debian: apt-get install nats-server)\n')

/** A NATS server with JetStream on a port and a folder of its own. */
export async function startNats() {
  const [port, folder] = [await freePort(), temporaryFolder()]
  const start = async () => {
    const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder.path], {
      stdio: 'ignore',
    })
    while (!(await answersAt(port))) await after(20)
    return child
  }
  let child = await start()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    signal: (name: 'SIGSTOP' | 'SIGCONT') => child.kill(name),
    async restart() {
      await kill()
      child = await start()
    },
    async [Symbol.asyncDispose]() {
      await kill()
      folder[Symbol.dispose]()
    },
  }
}

async function answersAt(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [greeting] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
    return String(greeting).startsWith('INFO')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
