import { createSocket } from 'node:dgram'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { localResolver, publicResolver } from '../../../src/domain/webhooks/http/dns.ts'
import { localNames } from '../../../src/domain/webhooks/http/local-names.ts'

/** Codes of answers (RFC 1035, section 4.1.1). */
export const OK = 0
export const SERVFAIL = 2
export const NXDOMAIN = 3

type NameAnswer = { code: number; addresses?: string[] } | 'silence'
type Files = { hosts?: string; resolv?: string }

/** A name server that answers every question the same, or as the name wants it: with a code and IPv4 addresses, or never. */
export async function startNameServer(answer: NameAnswer | ((name: string) => NameAnswer)) {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5
    const given = typeof answer === 'function' ? answer(nameIn(question)) : answer
    if (given === 'silence') return
    const isForV4 = question.readUInt16BE(end - 4) === 1
    const addresses = isForV4 ? (given.addresses ?? []) : []
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(0x8180 | given.code, 2)
    head.writeUInt16BE(addresses.length, 6)
    head.fill(0, 8)
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address)
  })
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  const resolver = (timeout: number) => {
    const made = new dns.Resolver({ timeout, tries: 1 })
    made.setServers([`127.0.0.1:${socket.address().port}`])
    return made
  }
  return {
    resolve: publicResolver(resolver(answer === 'silence' ? 100 : 5_000)),
    /** One whose own limit comes before that of the name server's answer. */
    impatient: publicResolver(resolver(5_000), 50),
    local: ({ hosts, resolv }: Files = {}) => localResolver(resolver(5_000), 5_000, localNames(hosts, resolv)),
    [Symbol.dispose]: () => socket.close(),
  }
}

/** Labels, each behind its length, up to one of none. */
function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; question[at]; at += 1 + (question[at] ?? 0))
    labels.push(question.subarray(at + 1, at + 1 + (question[at] ?? 0)).toString('latin1'))
  return labels.join('.').toLowerCase()
}
