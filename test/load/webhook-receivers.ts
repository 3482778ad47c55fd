import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Receivers as a process of their own, over raw TCP, so that they cost the measured process nothing. */
/** `slow`: they answer 200 after 14 s. */
export type ReceiversOrder = { healthy: number; hanging?: number; slow?: number }
export type ReceiversReady = { healthy: number[]; hanging: number[]; slow: number[] }

const NO_CONTENT = Buffer.from('HTTP/1.1 204 No Content\r\nkeep-alive: timeout=60\r\n\r\n')
const SLOW_MS = 14_000
const HEAD_END = Buffer.from('\r\n\r\n')

const order: ReceiversOrder = JSON.parse(process.argv[2] ?? '')
const ready: ReceiversReady = {
  healthy: await listenOn(order.healthy, (socket) => socket.write(NO_CONTENT)),
  hanging: await listenOn(order.hanging ?? 0, () => undefined),
  slow: await listenOn(order.slow ?? 0, (socket) => setTimeout(() => socket.write(NO_CONTENT), SLOW_MS)),
}
process.send?.(ready)
process.once('disconnect', () => process.exit(0))

async function listenOn(count: number, behave: (socket: Socket) => unknown): Promise<number[]> {
  const ports: number[] = []
  for (let n = 0; n < count; n++) {
    const server = createServer((socket) => onRequests(socket.setNoDelay(true), behave))
    await once(server.listen(0, '127.0.0.1', 1_024), 'listening')
    ports.push((server.address() as AddressInfo).port)
  }
  return ports
}

/** Calls `behave` for every whole request; bodies are measured, never read. */
function onRequests(socket: Socket, behave: (socket: Socket) => unknown) {
  let seen: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
    for (let size = sizeOf(seen); seen.length >= size; size = sizeOf(seen)) {
      behave(socket)
      seen = seen.subarray(size)
    }
  })
}

function sizeOf(seen: Buffer): number {
  const end = seen.indexOf(HEAD_END)
  if (end < 0) return Number.POSITIVE_INFINITY
  const length = /content-length: (\d+)/i.exec(seen.toString('latin1', 0, end))?.[1]
  return end + HEAD_END.length + Number(length ?? 0)
}
