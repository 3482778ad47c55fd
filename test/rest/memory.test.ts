import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createLiveApp } from '../support/app.ts'

const REQUESTS = 200

setFlagsFromString('--expose-gc')
const gc: (options: { type: 'minor' }) => void = runInNewContext('gc')

/** Bytes that only a full garbage collection could free: scavenges have taken what they can. */
async function keptBytes() {
  for (let n = 0; n < 3; n++) {
    gc({ type: 'minor' })
    await turn()
  }
  return getHeapStatistics().used_heap_size
}

test.each(['/health/', '/v1/nowhere'])(
  'what %s was answered with waits for no full garbage collection',
  async (path) => {
    await using app = await createLiveApp()
    const socket = connect(Number(new URL(app.base).port), '127.0.0.1')
    await once(socket, 'connect')
    const perRequest: number[] = []
    let before = await keptBytes()
    for (let round = 0; round < 7; round++) {
      for (let n = 0; n < REQUESTS; n++) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        await once(socket, 'data')
        if (n % 50 === 0) await keptBytes()
      }
      const after = await keptBytes()
      perRequest.push((after - before) / REQUESTS)
      before = after
    }
    perRequest.sort((a, b) => a - b)
    expect(perRequest[3]).toBeLessThan(2_000) // 20 to 650 where nothing is kept, 3,400 where a response is
    socket.destroy()
  },
)
