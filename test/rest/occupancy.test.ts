import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { Occupancy } from '../../src/rest/occupancy.ts'

const request = (url: string, accept?: string) => ({ url, headers: { accept } }) as unknown as IncomingMessage
const newResponse = () => new EventEmitter() as unknown as ServerResponse

test('a thousand requests at once, a place for each that ends, and always one for whoever asks after our health', () => {
  const occupancy = new Occupancy()
  const responses = Array.from({ length: 1000 }, newResponse)
  const taken = responses.map((response) => occupancy.hasPlaceFor(request('/v1/channels/'), response))
  expect(taken.every(Boolean)).toBe(true)
  expect(occupancy.hasPlaceFor(request('/v1/channels/'), newResponse())).toBe(false)
  expect(occupancy.hasPlaceFor(request('/health/'), newResponse())).toBe(true)
  expect(occupancy.hasPlaceFor(request('/trpc/chat.watch', 'text/event-stream'), newResponse())).toBe(true)
  for (const response of responses.slice(0, 2)) response.emit('close')
  expect(occupancy.hasPlaceFor(request('/v1/channels/'), newResponse())).toBe(true)
  expect(occupancy.hasPlaceFor(request('/v1/channels/'), newResponse())).toBe(false)
})
