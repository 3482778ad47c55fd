import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/process.ts'
import { numbersGiven } from './options.ts'

// npm run bench:connections — what 10 000 idle connections cost a process; loopback only. Half say nothing at all, half
// have asked once and stay. Ends with status 1 when the service does not answer beside them. Needs `ulimit -n` above 10 100.

const { connections: COUNT } = numbersGiven({ connections: 10_000 })
const AT_ONCE = 200
const ANSWER_MS_MAX = 1_000
const BYTES_EACH_MAX = 32 * 1024

using folder = temporaryFolder()
await using service = await startService({ DATA_DIR: folder.path, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' })
const { api_key: key } = DemoCredentials.parse(JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')))
await ask('/v1/channels/')
const before = memoryOf(service.child.pid)

const begun = performance.now()
const asking = await openAll(COUNT / 2, true)
const silent = await openAll(COUNT / 2, false) // the last, because they are closed soon
const openedMs = performance.now() - begun
const sockets = [...asking, ...silent]
const held = openOf(sockets)
const bytesEach = (memoryOf(service.child.pid) - before) / held

const answers: number[] = []
for (const path of ['/health/', '/health/ready', '/v1/channels/', '/v1/users/me', '/v1/livestreams/'])
  answers.push(await ask(path))
const worstMs = Math.max(...answers)

while (openOf(silent) > 0) await new Promise((resolve) => setTimeout(resolve, 250))
const silentS = (performance.now() - begun) / 1000
const stayed = openOf(asking)
for (const socket of asking) socket.destroy()

const isHeld = held > 0.99 * COUNT && worstMs < ANSWER_MS_MAX && bytesEach < BYTES_EACH_MAX
process.stdout.write(
  [
    `${held} of ${COUNT} connections held, opened in ${Math.round(openedMs)} ms`,
    `${(bytesEach / 1024).toFixed(1)} KiB of memory each, ${Math.round(memoryOf(service.child.pid) / 2 ** 20)} MiB in all`,
    `slowest answer beside them ${Math.round(worstMs)} ms`,
    `those that said nothing were all closed after ${silentS.toFixed(0)} s; of the others ${stayed} were open still`,
    isHeld ? 'Held.' : 'NOT HELD',
    '',
  ].join('\n'),
)
process.exitCode = isHeld ? 0 : 1

async function openAll(count: number, asks: boolean): Promise<Socket[]> {
  const opened: Socket[] = []
  while (opened.length < count)
    opened.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => openOne(asks)))))
  return opened
}

async function openOne(asks: boolean): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1').on('error', () => {})
  socket.resume() // else nobody sees that it is closed
  await once(socket, 'connect')
  if (!asks) return socket
  socket.write('GET /health/ HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  return socket
}

function openOf(list: Socket[]): number {
  return list.filter(({ readyState }) => readyState === 'open').length
}

/** How long an answer takes on a connection of its own, in milliseconds. */
async function ask(path: string): Promise<number> {
  const asked = performance.now()
  const response = await fetch(service.base + path, {
    headers: { authorization: `Bearer ${key}`, connection: 'close' },
  })
  await response.text()
  if (response.status >= 500) throw new Error(`${path}: ${response.status}`)
  return performance.now() - asked
}

/** Resident memory of a process, in bytes. */
function memoryOf(pid: number | undefined): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
