import { createSocket } from 'node:dgram'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { publicResolver } from '../../../src/domain/webhooks/http/dns.ts'

/** Codes of answers (RFC 1035, section 4.1.1). */
export const OK = 0
export const SERVFAIL = 2
export const NXDOMAIN = 3

/** A name server that answers every question the same: with a code and IPv4 addresses, or never. */
export async function startNameServer(answer: { code: number; addresses?: string[] } | 'silence') {
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
  const resolver = new dns.Resolver({ timeout: answer === 'silence' ? 100 : 5_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return { resolve: publicResolver(resolver), [Symbol.dispose]: () => socket.close() }
}
