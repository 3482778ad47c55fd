import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { Caller } from '../../src/domain/core/context.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { recordOf } from '../../src/rest/http/request-record.ts'
import { createHttpServer } from '../../src/rest/http/server.ts'
import { logger } from '../../src/telemetry/logger.ts'

const request = (url: string, accept?: string) =>
  recordOf({ url, headers: { accept } } as unknown as IncomingMessage, {} as Caller)
const newResponse = () => new EventEmitter() as unknown as ServerResponse

test('a thousand requests at once, a place for each that ends, and always one for whoever asks after our health', () => {
  const loadLimit = new LoadLimit()
  const responses = Array.from({ length: 1000 }, newResponse)
  const taken = responses.map((response) => loadLimit.hasPlaceFor(request('/v1/channels/'), response))
  expect(taken.every(Boolean)).toBe(true)
  expect(loadLimit.hasPlaceFor(request('/v1/channels/'), newResponse())).toBe(false)
  expect(loadLimit.hasPlaceFor(request('/health/'), newResponse())).toBe(true)
  expect(loadLimit.hasPlaceFor(request('/trpc/chat.watch', 'text/event-stream'), newResponse())).toBe(true)
  for (const response of responses.slice(0, 2)) response.emit('close')
  expect(loadLimit.hasPlaceFor(request('/v1/channels/'), newResponse())).toBe(true)
  expect(loadLimit.hasPlaceFor(request('/v1/channels/'), newResponse())).toBe(false)
})

test('a caller for whom there is no place is told at once when to come again, in the envelope', async () => {
  const loadLimit = new LoadLimit()
  for (let n = 0; n < 1000; n++) loadLimit.hasPlaceFor(request('/v1/channels/'), newResponse())
  const nothingYet = () => undefined
  const server = createHttpServer({
    contextOf: nothingYet,
    log: logger,
    publicUrl: 'http://test',
    trustProxy: 0,
    loadLimit,
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const refused = await fetch(`${base}/v1/channels/`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toEqual({ error: { code: 'unavailable', message: expect.stringContaining('busy') } })
  expect((await fetch(`${base}/health/`)).status).toBe(200)
  server.close()
  server.closeAllConnections()
})
