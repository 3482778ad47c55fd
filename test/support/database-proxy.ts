import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { DatabaseTarget } from '../../src/db/client.ts'

/** A query of PostgreSQL's protocol, and the whole answer to it. */
const UNLISTEN = Buffer.from('Q\0\0\0\x0funlisten *\0', 'latin1')
const UNLISTENED = Buffer.from('C\0\0\0\x0dUNLISTEN\0Z\0\0\0\x05I', 'latin1')

/**
 * A TCP proxy in front of a database that a test can take away and give back. `cutAt`: the first connection that sends this
 * text is reset.
 */
export async function createDatabaseProxy(target: DatabaseTarget, { cutAt }: { cutAt?: string } = {}) {
  /** With the connections to the database that are theirs. */
  const clients = new Map<Socket, Socket>()
  let isSwallowing = false
  let hasCut = false
  const server = createServer((client) => {
    const upstream = connect(addressOf(target))
    for (const socket of [client, upstream]) socket.on('error', () => {})
    clients.set(client, upstream)
    client.on('data', (chunk) => {
      if (hasCut || cutAt === undefined || !chunk.includes(cutAt)) return
      hasCut = true
      client.resetAndDestroy()
    })
    if (isSwallowing) client.resume()
    else client.pipe(upstream).pipe(client)
    client.once('close', () => {
      clients.delete(client)
      upstream.destroy()
    })
    upstream.once('close', () => client.destroy())
  })
  const listen = async (port: number) => once(server.listen(port, '127.0.0.1'), 'listening')
  await listen(0)
  const { port } = server.address() as AddressInfo

  /** Resets every connection and refuses new ones, as a server does that has ended. */
  async function takeAway() {
    const closed = once(server, 'close')
    server.close()
    for (const client of clients.keys()) client.resetAndDestroy()
    await closed
  }

  /** Everything sent is lost without a word, on old and on new connections, until `passOn`. */
  function swallow() {
    isSwallowing = true
    for (const client of clients.keys()) client.unpipe().resume()
  }

  /** Each connection goes on and listens to nothing any more, as where a pooler has changed the session behind it. */
  function unlisten() {
    for (const [client, upstream] of clients) {
      upstream.unpipe(client).resume()
      upstream.once('data', (chunk: Buffer) => {
        const answeredAt = chunk.indexOf(UNLISTENED)
        client.write(Buffer.concat([chunk.subarray(0, answeredAt), chunk.subarray(answeredAt + UNLISTENED.length)]))
        upstream.pipe(client)
      })
      upstream.write(UNLISTEN)
    }
  }

  return {
    target: throughProxy(target, port),
    hasCut: () => hasCut,
    takeAway,
    giveBack: () => listen(port),
    swallow,
    unlisten,
    /** New connections work again; those that swallowed never will. */
    passOn: () => {
      isSwallowing = false
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await takeAway()
    },
  }
}

/** For `DATABASE_URL` of another process. */
export const urlOf = (target: DatabaseTarget): string =>
  typeof target === 'string' ? target : `postgres://${target.user}@${target.host}:${target.port}/${target.database}`

function addressOf(target: DatabaseTarget) {
  if (typeof target !== 'string') return { path: `${target.host}/.s.PGSQL.${target.port}` }
  const { hostname, port } = new URL(target)
  return { host: hostname, port: Number(port || 5432) }
}

function throughProxy(target: DatabaseTarget, port: number): DatabaseTarget {
  if (typeof target !== 'string') return { ...target, host: '127.0.0.1', port }
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return url.href
}
