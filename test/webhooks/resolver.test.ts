import { createSocket } from 'node:dgram'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { publicResolver, systemResolver } from '../../src/domain/webhooks/resolver.ts'

const OK = 0
const SERVFAIL = 2
const NXDOMAIN = 3

/** A name server that answers every question the same: with a code and IPv4 addresses, or never. */
async function startNameServer(answer: { code: number; addresses?: string[] } | 'silence') {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    if (answer === 'silence') return
    const end = question.indexOf(0, 12) + 5
    const isForV4 = question.readUInt16BE(end - 4) === 1
    const addresses = isForV4 ? (answer.addresses ?? []) : []
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(0x8180 | answer.code, 2)
    head.writeUInt16BE(addresses.length, 6)
    head.fill(0, 8)
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address)
  })
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  const resolver = new dns.Resolver({ timeout: 100, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return { resolve: publicResolver(resolver), [Symbol.dispose]: () => socket.close() }
}

test('all addresses of a name come back, whatever they are: they are judged later', async () => {
  using server = await startNameServer({ code: OK, addresses: ['93.184.216.34', '127.0.0.1'] })
  expect(await server.resolve('hooks.customer.com')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ])
})

test.for([
  ['does not exist', { code: NXDOMAIN }, 'E_DNS'],
  ['has no address', { code: OK }, 'E_DNS'],
  ['cannot be looked up', { code: SERVFAIL }, 'E_DNS'],
  ['meets silence', 'silence', 'E_DNS_TIMEOUT'],
] as const)('a name that %s: %3$s', async ([, answer, errorClass]) => {
  using server = await startNameServer(answer)
  await expect(server.resolve('hooks.customer.com')).rejects.toMatchObject({ errorClass })
})

test('the system’s resolver knows localhost, and its failures have the class too', async () => {
  expect((await systemResolver('localhost')).map(({ address }) => address)).toContain('127.0.0.1')
  await expect(systemResolver('no such name')).rejects.toMatchObject({ errorClass: 'E_DNS' })
})
