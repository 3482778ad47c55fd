import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { redisCounters } from '../../src/counters/shared-counters.ts'
import { freePort } from '../support/free-port.ts'

const two = { name: 'two', points: 2, windowS: 60 }
const takeThree = async (counters: Awaited<ReturnType<typeof redisCounters>>) => [
  await counters.take(two, 'a'),
  await counters.take(two, 'a'),
  await counters.take(two, 'a'),
]
const alone = [
  { remaining: 1, exceeded: false },
  { remaining: 0, exceeded: false },
  { remaining: 0, exceeded: true },
]

test('without an answer from Redis a process counts alone, at once', async () => {
  await using counters = await redisCounters(`redis://127.0.0.1:${await freePort()}`)
  expect(await takeThree(counters)).toMatchObject(alone)
})

test('a Redis that accepts and then is silent holds up nobody for long', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await using counters = await redisCounters(`redis://127.0.0.1:${port}`)
  const started = performance.now()
  expect(await takeThree(counters)).toMatchObject(alone)
  expect(performance.now() - started).toBeLessThan(2_000)
  for (const socket of sockets) socket.destroy()
  silent.close()
})
