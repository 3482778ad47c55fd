import { afterAll, describe, expect, test } from 'vitest'
import { LoadLimit, type Place } from '../../src/rest/http/load-limit.ts'
import { createTestApp } from '../support/app.ts'

/** As many places as there are for a process, or of one network. */
const takeAll = (limit: LoadLimit, address?: string): Place[] => {
  const places: Place[] = []
  for (let n = 0; n < 20_000; n++) {
    const place = limit.take(address ?? `198.51.100.${n % 100}`)
    if (!place) break
    places.push(place)
  }
  return places
}

describe('places', () => {
  test('are a thousand, and one is free again for each request that ends', () => {
    const limit = new LoadLimit()
    const places = takeAll(limit)
    expect([places.length, limit.requests, limit.isFull]).toEqual([1000, 1000, true])
    for (const place of places.slice(0, 2)) place.end()
    expect([limit.requests, limit.isFull, takeAll(limit).length]).toEqual([998, false, 2])
    for (const place of places) place.end()
    expect(limit.requests).toBe(2)
  })

  test('are 250 for one address, or one /64 of IPv6, and nobody else has fewer for that', () => {
    const limit = new LoadLimit()
    expect(takeAll(limit, '192.0.2.1')).toHaveLength(250)
    expect(takeAll(limit, '2001:db8::1')).toHaveLength(250)
    expect(takeAll(limit, '2001:db8::2')).toHaveLength(0)
    expect(takeAll(limit, '2001:db8:0:1::2')).toHaveLength(250)
    expect(limit.isFull).toBe(false)
    expect(takeAll(limit)).toHaveLength(250)
  })

  test('are 500 for one /48 of IPv6, however many networks it has, and free again behind it', () => {
    const limit = new LoadLimit()
    const places = Array.from({ length: 300 }, (_, n) => takeAll(limit, `2001:db8:0:${n.toString(16)}::1`)).flat()
    expect(places).toHaveLength(500)
    expect(takeAll(limit, '2001:db8:1::1')).toHaveLength(250)
    for (const place of places) place.end()
    expect(takeAll(limit, '2001:db8:0:9::1')).toHaveLength(250)
  })

  const beginStream = (limit: LoadLimit, address: string) => {
    const place = limit.take(address)
    return place?.becomeStream() ? place : place?.end()
  }

  test('of streams are others, ten thousand', () => {
    const limit = new LoadLimit()
    const begin = (_: unknown, n = 0) => beginStream(limit, `192.0.2.${n % 3}`)
    const [first] = Array.from({ length: 10_000 }, begin)
    expect([limit.streams, limit.requests, begin(0)]).toEqual([10_000, 0, undefined])
    first?.giveBack()
    expect([limit.streams, begin(0) !== undefined, begin(0)]).toEqual([9_999, true, undefined])
    expect(first?.takeAgain()).toBe(false)
  })

  test.each([
    ['one address', () => '192.0.2.1', '192.0.2.2'],
    ['one /48 of IPv6', (n: number) => `2001:db8:0:${n.toString(16)}::1`, '2001:db8:1::1'],
  ])('of streams %s has half, and again as many as it has ended', (_, addressOf, other) => {
    const limit = new LoadLimit()
    const open = Array.from({ length: 6_000 }, (_, n) => beginStream(limit, addressOf(n))).filter((one) => one)
    expect([open.length, limit.streams, limit.requests]).toEqual([5_000, 5_000, 0])
    expect(beginStream(limit, other)).toBeDefined()
    for (const place of open.slice(0, 10)) place?.end()
    const again = Array.from({ length: 20 }, (_, n) => beginStream(limit, addressOf(n))).filter((one) => one)
    expect([again.length, limit.streams]).toEqual([10, 5_001])
  })

  test('can be given back and taken again, however often either is said, until the call is over', () => {
    const limit = new LoadLimit()
    const place = limit.take('192.0.2.1')
    for (let n = 0; n < 2; n++) place?.giveBack()
    expect(limit.requests).toBe(0)
    expect([place?.takeAgain(), place?.takeAgain(), limit.requests]).toEqual([true, true, 1])
    place?.giveBack()
    takeAll(limit)
    expect([place?.takeAgain(), limit.requests]).toEqual([false, 1000])
    const other = new LoadLimit()
    const ended = other.take('192.0.2.1')
    for (let n = 0; n < 2; n++) ended?.end()
    expect([ended?.takeAgain(), other.requests]).toEqual([false, 0])
  })
})

test('a call that opens a stream has the place of a request until it is let in', () => {
  const limit = new LoadLimit()
  const places = takeAll(limit, '192.0.2.1')
  expect([limit.requests, limit.streams]).toEqual([250, 0])
  for (const place of places.slice(0, 20)) place.becomeStream()
  expect([limit.requests, limit.streams, takeAll(limit, '192.0.2.1').length]).toEqual([230, 20, 20])
})

describe('a process that is full', async () => {
  const loadLimit = new LoadLimit()
  const app = await createTestApp({ loadLimit })
  afterAll(() => app[Symbol.asyncDispose]())
  const statusesOf = async (...paths: string[]) =>
    Promise.all(paths.map(async (path) => (await app.request(`GET ${path}`)).status))

  test('tells a caller at once when to come again, in the envelope', async () => {
    const places = takeAll(loadLimit)
    const refused = await app.request('GET /v1/channels/')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(refused.body).toEqual({ error: { code: 'unavailable', message: expect.stringContaining('busy') } })
    for (const place of places) place.end()
  })

  test('is alive and not ready; nothing else under that path is let in', async () => {
    const places = takeAll(loadLimit)
    expect(await statusesOf('/health', '/health/', '/health/?x=1')).toEqual([200, 200, 200])
    expect(await statusesOf('/health/ready', '/health/ready/', '/health/x', '/healthy')).toEqual([503, 503, 503, 503])
    for (const place of places) place.end()
  })

  test('for one address alone is ready for whoever asks, also from there', async () => {
    const places = takeAll(loadLimit, '127.0.0.1')
    expect(await statusesOf('/v1/channels/', '/health/ready', '/health/')).toEqual([503, 200, 200])
    for (const place of places) place.end()
  })
})
