import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getDelivery } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { AttemptFailure } from '../../src/domain/webhooks/http/attempt-failure.ts'
import type { Resolve } from '../../src/domain/webhooks/http/dns.ts'
import { compileTargetPolicy } from '../../src/domain/webhooks/http/target-policy.ts'
import { createTransport } from '../../src/domain/webhooks/http/transport.ts'
import { deliveryMetrics } from '../../src/domain/webhooks/worker/metrics.ts'
import { type Behaviour, drips, floods, head, startHostile, writes } from './support/hostile.ts'
import { NXDOMAIN, SERVFAIL, startNameServer } from './support/name-server.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Receivers over raw TCP with one delivery each, and the results of these. */
async function deliverTo(behaviours: Behaviour[]) {
  const servers = await Promise.all(behaviours.map((behave) => startHostile(behave, { host: '127.0.0.1' })))
  const scenes = await Promise.all(servers.map(() => stage.scene()))
  for (const [index, { change, say }] of scenes.entries()) {
    await change({ url: `http://127.0.0.1:${servers[index]?.port}/` })
    await say()
  }
  await stage.work()
  for (const server of servers) await server[Symbol.asyncDispose]()
  return scenes
}

test('200 and then a body that hangs, drips, is reset or broken: delivered, says the ledger, and the slot is free', async () => {
  const scenes = await deliverTo([
    writes(head('200 OK', 'content-length: 100'), 'x'),
    drips(head('200 OK', 'content-length: 100000'), 'x'),
    (socket) => socket.write(head('200 OK', 'content-length: 100'), () => socket.resetAndDestroy()),
    writes(head('200 OK', 'transfer-encoding: chunked'), 'zz\r\nnonsense'),
  ])
  for (const { done, attempts, queue } of scenes) {
    expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
    const [attempt] = await attempts()
    expect(attempt).toMatchObject({ n: 1, status: 200, errorClass: null })
    expect(attempt?.durationMs, 'long before the deadline').toBeLessThan(8_000)
    expect(await queue()).toEqual([])
  }
  expect(deliveryMetrics.inFlight).toEqual({ fast: 0, unproven: 0, slow: 0 })
})

test('10 MB of emoji and markup: what the owner is shown are its first 4 kB, as text', async () => {
  const answer = `<script>alert(1)</script>${'🙈'.repeat(2_500_000)}`
  const { say, done } = await stage.scene(() => ({ status: 200, body: answer }))
  await say()
  await stage.work()
  const [{ id, outcome } = { id: '', outcome: '' }] = await done()
  expect(outcome).toBe('delivered')
  const { attempts_made } = await getDelivery(stage.asOwner(), { id })
  const shown = attempts_made[0]?.response ?? ''
  expect(answer.startsWith(shown)).toBe(true)
  expect(Buffer.byteLength(shown)).toBeGreaterThan(4_092)
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4_096)
})

test('an endless body is no reason to wait: delivered, and cut', async () => {
  const [scene] = await deliverTo([floods(head('200 OK', 'content-length: 262144000'), Buffer.alloc(65_536, 'a'))])
  expect(await scene?.done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
  expect((await scene?.attempts())?.[0]?.response).toHaveLength(4_096)
})

describe('a receiver that cannot be reached', () => {
  const UNREACHABLE = '255.255.255.255' // no route leads to it, on any machine
  const named =
    (address: string): Resolve =>
    async () => [{ address, family: 4 }]

  test('has a class that says why, is charged, and tried again', async () => {
    const gone = await startHostile(() => {})
    await gone[Symbol.asyncDispose]()
    using none = await startNameServer({ code: NXDOMAIN })
    using broken = await startNameServer({ code: SERVFAIL })
    using silent = await startNameServer('silence')
    const cases: [name: string, resolve: Resolve, errorClass: string][] = [
      ['does-not-exist', none.resolve, 'E_DNS'],
      ['cannot-be-looked-up', broken.resolve, 'E_DNS'],
      ['meets-silence', silent.resolve, 'E_DNS_TIMEOUT'],
      ['hangs-in-dns', () => new Promise(() => {}), 'E_CONNECT_TIMEOUT'],
      ['refuses', named('127.0.0.2'), 'E_REFUSED'],
      ['is-unreachable', named(UNREACHABLE), 'E_REFUSED'],
      ['is-private', named('169.254.169.254'), 'E_BLOCKED_ADDRESS'],
    ]
    const resolvers = new Map(cases.map(([name, resolve]) => [`${name}.customer.com`, resolve]))
    const resolve: Resolve = async (host) => {
      const known = resolvers.get(host)
      if (!known) throw new AttemptFailure('E_DNS', host)
      return known(host)
    }
    const strict = compileTargetPolicy({ allowPrivate: true, allowCidrs: [], proxyUrl: undefined })
    const rules = { ...strict, isAllowed: (address: string) => address === UNREACHABLE || strict.isAllowed(address) }
    const sender = { rules, transport: createTransport({ rules, resolve, connectMs: 1_500 }) }
    const scenes = await Promise.all(cases.map(() => stage.scene()))
    for (const [index, { change, say }] of scenes.entries()) {
      await change({ url: `http://${cases[index]?.[0]}.customer.com:${gone.port}/` })
      await say()
    }
    expect((await stage.work({ sender })).retried).toBe(cases.length)
    for (const [index, { attempts, queue, receiver }] of scenes.entries()) {
      const [name, , errorClass] = cases[index] ?? []
      expect(await attempts(), name).toMatchObject([{ n: 1, status: null, errorClass }])
      expect(await queue(), name).toMatchObject([{ attempts: 1, lane: 1, lease: null }])
      expect(receiver.requests, name).toEqual([])
    }
  })
})
