import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { folderWithCluster, type Service, startService } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

const SENDERS = 8

/** On a connection of its own, so that whatever was accepted has to be answered. */
function ask(service: Service, method: 'GET' | 'POST', path: string, token: string, body?: object) {
  const { promise, resolve } = hope<{ status: number; text: string } | { refused: string }>()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sending = request(service.base + path, { method, headers, agent: false }, async (response) => {
    let text = ''
    for await (const chunk of response) text += chunk
    resolve({ status: response.statusCode ?? 0, text })
  })
  sending.once('error', (error: NodeJS.ErrnoException) => resolve({ refused: error.code ?? '' }))
  sending.end(body && JSON.stringify(body))
  return promise
}

function hope<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}

test('SIGTERM under load loses no acknowledged message and no delivery, and readiness turns false first', async () => {
  using folder = folderWithCluster()
  await using receiver = await startReceiver()
  const env = { DATA_DIR: folder.path, RATE_LIMITS: 'off', TRUST_PROXY: '1', LOG_LEVEL: 'warn' }
  const service = await startService(env)
  const { api_key: key, users } = DemoCredentials.parse(
    JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')),
  )
  const { access_token: token } = users.streamer
  await ask(service, 'POST', '/v1/events/subscriptions', key, { url: receiver.url, event_types: ['chat.message.sent'] })
  const streaming = await fetch(
    `${service.base}/trpc/chat.watch?input=${encodeURIComponent('{"room_name":"streamer"}')}`,
    {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    },
  )
  const stream = streaming.text()

  const acknowledged: string[] = []
  const others: number[] = []
  const enough = hope<void>()
  const sendOne = async (content: string): Promise<boolean> => {
    const answer = await ask(service, 'POST', '/v1/chat/messages', token, { room_name: 'streamer', content })
    if ('refused' in answer) return false
    if (answer.status === 201) acknowledged.push(JSON.parse(answer.text).data.id)
    else others.push(answer.status)
    if (acknowledged.length > 100) enough.resolve()
    return true
  }
  const send = async () => {
    for (let n = 0; await sendOne(`said ${n}`); n++);
  }
  const readiness: number[] = []
  const watch = async () => {
    for (;;) {
      const answer = await ask(service, 'GET', '/health/ready', token)
      if ('refused' in answer) return
      readiness.push(answer.status)
    }
  }
  const load = [watch(), ...Array.from({ length: SENDERS }, send)]
  await enough.promise
  const before = acknowledged.length
  const readinessBefore = readiness.length // a busy machine may have missed a deadline before
  const signalled = performance.now()
  expect(await service.stop('SIGTERM')).toBe(0)
  const stoppedMs = performance.now() - signalled
  await Promise.all(load)

  expect(acknowledged.length).toBeGreaterThan(before) // what came while others were sent elsewhere was served
  expect(others).toEqual([])
  expect(await stream).toMatch(/said \d/) // ended in order, not cut off
  const readinessAfter = readiness.slice(readinessBefore)
  expect(readinessAfter).toContain(503)
  expect(readinessAfter.slice(readinessAfter.indexOf(503)).includes(200)).toBe(false)
  expect(stoppedMs).toBeLessThan(9_000)

  await using again = await startService({ ...env, TRUST_PROXY: '0' })
  expect(again.isReady).toBe(true)
  const missing = new Set(acknowledged)
  for (let seen = 0; missing.size > 0; seen++) {
    const [received] = (await receiver.received(seen + 1)).slice(seen)
    missing.delete(String(received?.event.data.id))
  }
})
