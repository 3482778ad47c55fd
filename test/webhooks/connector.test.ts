import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { classOf } from '../../src/domain/webhooks/http/attempt-failure.ts'
import type { Resolve } from '../../src/domain/webhooks/http/dns.ts'
import { compileTargetPolicy, rulesForPort, type TargetRules } from '../../src/domain/webhooks/http/target-policy.ts'
import { checkTargetUrl } from '../../src/domain/webhooks/http/target-url.ts'
import { createTransport } from '../../src/domain/webhooks/http/transport.ts'
import { attempt, to } from './support/attempt.ts'
import { answers, startHostile } from './support/hostile.ts'

describe('what DNS says: 127.0.0.2 plays the public network', () => {
  const rules: TargetRules = {
    allowPrivate: false,
    proxyUrl: undefined,
    isAllowed: (address) => address === '127.0.0.2',
  }

  test('of mixed answers only the public one is dialled', async () => {
    await using server = await startHostile(answers('204 No Content'))
    await using inside = await startHostile(answers('200 OK'), { host: '127.0.0.1' })
    expect(await attempt(rules, `http://hooks.customer.com:${server.port}/`, to('127.0.0.1', '127.0.0.2', '::1'))).toBe(
      204,
    )
    expect(await attempt(rules, `http://hooks.customer.com:${inside.port}/`, to('127.0.0.1'))).toBe('E_BLOCKED_ADDRESS')
    expect(inside.connections).toBe(0)
  })

  test('a name that turns private is not followed; a kept connection is reused and never looked up again', async () => {
    await using server = await startHostile((socket, nth) =>
      answers('204 No Content', ...(nth > 2 ? ['connection: close'] : []))(socket, nth),
    )
    let asked = 0
    const turning: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
    const transport = createTransport({ rules, resolve: turning })
    const url = new URL(`http://hooks.customer.com:${server.port}/`)
    const results = []
    for (let n = 0; n < 4; n++) {
      const { signal } = new AbortController()
      const { status, error } = await transport.post({ url, headers: [], body: Buffer.from('{}'), signal })
      results.push(status ?? classOf(error))
      await new Promise(setImmediate) // a socket is free again one turn after its answer
    }
    await transport.close()
    expect(results).toEqual([204, 204, 204, 'E_BLOCKED_ADDRESS'])
    expect([server.connections, asked]).toEqual([1, 2])
  })

  test('a name without an address leads nowhere', async () => {
    expect(await attempt(rules, 'http://hooks.customer.com/', to())).toBe('E_BLOCKED_ADDRESS')
  })
})

describe('an egress proxy', () => {
  async function startProxy(status = 200) {
    const asked: string[] = []
    const sockets = new Set<Socket>()
    const server = createServer().on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
      const [host = '', port] = (request.url ?? '').split(':')
      const target = connect(Number(port), host)
      for (const one of [socket as Socket, target]) sockets.add(one.on('error', () => {}))
      socket.write(`HTTP/1.1 ${status} Whatever\r\n\r\n`)
      socket.pipe(target).pipe(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const close = async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      server.closeAllConnections()
    }
    return { asked, port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close }
  }
  const through = (port: number): TargetRules => ({
    allowPrivate: false,
    proxyUrl: `http://user:p%40ss@127.0.0.1:${port}`,
    isAllowed: (address) => address === '127.0.0.2',
  })

  test('is asked for the judged address, never for a name, and never for one that is not allowed', async () => {
    await using proxy = await startProxy()
    await using server = await startHostile(answers('204 No Content'))
    const url = `http://hooks.customer.com:${server.port}/`
    expect(await attempt(through(proxy.port), url, to('127.0.0.1', '127.0.0.2'))).toBe(204)
    expect(await attempt(through(proxy.port), url, to('127.0.0.1'))).toBe('E_BLOCKED_ADDRESS')
    const credential = Buffer.from('user:p@ss').toString('base64')
    expect(proxy.asked).toEqual([`127.0.0.2:${server.port} Basic ${credential}`])
  })

  test('that refuses, or is not there, is a failed attempt', async () => {
    await using server = await startHostile(answers('204 No Content'))
    const url = `http://hooks.customer.com:${server.port}/`
    const refusing = await startProxy(403)
    expect(await attempt(through(refusing.port), url, to('127.0.0.2'))).toBe('E_REFUSED')
    await refusing[Symbol.asyncDispose]()
    expect(await attempt(through(refusing.port), url, to('127.0.0.2'))).toBe('E_REFUSED')
    expect(server.requests).toEqual([])
  })
})

describe('the service’s own ports', () => {
  const local: TargetRules = { allowPrivate: true, proxyUrl: undefined, isAllowed: () => true }

  test.each(['127.0.0.1', '127.0.0.2', 'localhost', 'hooks.customer.com'])('are never dialled: %s', async (host) => {
    await using own = await startHostile(answers('200 OK'), { host: '127.0.0.1' })
    const rules = { ...local, ownPorts: [own.port] }
    expect(await attempt(rules, `http://${host}:${own.port}/`, to('127.0.0.1'))).toBe('E_BLOCKED_ADDRESS')
    expect(own.connections).toBe(0)
  })

  test('are another matter on another machine, and other ports of this one are receivers’', async () => {
    await using receiver = await startHostile(answers('204 No Content'), { host: '127.0.0.1' })
    const rules = { ...local, ownPorts: [receiver.port + 1] }
    expect(await attempt(rules, `http://127.0.0.1:${receiver.port}/`, to('127.0.0.1'))).toBe(204)
    const own = rulesForPort({ ...local, ownPorts: [3000] }, 3000)
    expect([own.isAllowed('10.1.2.3'), own.isAllowed('127.0.0.1'), own.isAllowed('::1')]).toEqual([true, false, false])
  })

  test.each(['http://127.0.0.1:3000/', 'http://0x7f.1:3000/x', 'http://localhost:3000/', 'http://[::1]:3000/'])(
    'are refused when a subscription is made: %s',
    (url) => {
      const policy = { allowPrivate: true, allowCidrs: [], proxyUrl: undefined, ownPorts: [3000] }
      expect(() => checkTargetUrl(compileTargetPolicy(policy), url)).toThrow(/^url leads to/)
      expect(checkTargetUrl(compileTargetPolicy({ ...policy, ownPorts: [] }), url).port).toBe('3000')
    },
  )
})
