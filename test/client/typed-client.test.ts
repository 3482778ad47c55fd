import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createTestApp } from '../support/app.ts'
import { filesOf } from '../support/documents.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const credential = await app.token(['chat:write', 'channel:read'], { user: ada })
const client = createClient({ baseUrl: app.base, credential })

const portOf = (server: Server) => (server.address() as AddressInfo).port

describe('the typed client', () => {
  test('calls the same procedures, with the types of the router', async () => {
    const message = await client.chat.send.mutate({ room_name: 'ada', content: 'x' })
    expectTypeOf(message.created_at).toEqualTypeOf<string>()
    expect(message).toMatchObject({ room_name: 'ada', content: 'x', type: 'text' })
    expect(await client.channels.list.query({})).toMatchObject({ items: [{ username: 'ada' }], next: null })
  })

  test('sees our codes, behind the same checks', async () => {
    await expect(client.channels.get.query({ slug: 'nobody_here' })).rejects.toMatchObject({
      data: { code: 'NOT_FOUND', httpStatus: 404, problem: { code: 'channel_not_found' } },
    })
    await expect(client.users.me.query({})).rejects.toMatchObject({
      data: { httpStatus: 403, problem: { code: 'insufficient_scope' } },
    })
    const anonymous = createClient({ baseUrl: `${app.base}/` })
    await expect(anonymous.channels.list.query({})).rejects.toMatchObject({
      data: { httpStatus: 401, problem: { code: 'unauthorized' } },
    })
  })

  test('follows no redirect, which would have what is in a call sent elsewhere', async () => {
    const taken: string[] = []
    const elsewhere = createServer(async (request, response) => {
      taken.push(`${request.url} ${await text(request)}`)
      response.end()
    })
    const redirecting = createServer((request, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${portOf(elsewhere)}${request.url}` }).end(),
    )
    for (const server of [elsewhere, redirecting]) await once(server.listen(0, '127.0.0.1'), 'listening')
    const baseUrl = `http://127.0.0.1:${portOf(redirecting)}`
    for (const own of [undefined, fetch]) {
      const misled = createClient({ baseUrl, credential, ...(own && { fetch: own }) })
      await expect(misled.chat.send.mutate({ room_name: 'ada', content: 'x' })).rejects.toThrow()
      await expect(misled.channels.list.query({})).rejects.toThrow()
    }
    expect(taken).toEqual([])
    for (const server of [elsewhere, redirecting]) {
      server.closeAllConnections()
      server.close()
    }
  })

  test('asks for its credential before every request, so that it may be refreshed', async () => {
    const tokens = ['stale', credential]
    const refreshing = createClient({ baseUrl: app.base, credential: async () => tokens.shift() ?? '' })
    await expect(refreshing.channels.list.query({})).rejects.toMatchObject({ data: { httpStatus: 401 } })
    expect((await refreshing.channels.list.query({})).items).toHaveLength(1)
  })
})

describe('/trpc', () => {
  const token = credential
  const input = (value: object) => encodeURIComponent(JSON.stringify(value))

  test('answers with the status of the problem, one call or a batch of them', async () => {
    const one = await app.request(`GET /trpc/channels.get?input=${input({ slug: 'nobody' })}`, { token })
    expect(one.status).toBe(404)
    const names = 'channels.get,channels.list'
    const batch = await app.request(`GET /trpc/${names}?batch=1&input=${input({ 0: { slug: 'x' }, 1: {} })}`, { token })
    expect([batch.status, batch.body[1].result.data.next]).toEqual([207, null])
  })

  test('bounds the calls of a batch and the size of a body', async () => {
    const calls = Array.from({ length: 11 }, () => 'channels.list').join()
    expect((await app.request(`GET /trpc/${calls}?batch=1&input=${input({})}`, { token })).status).toBe(400)
    const body = { room_name: 'ada', content: 'y'.repeat(100_000) }
    expect((await app.request('POST /trpc/chat.send', { token, body })).status).toBe(413)
  })

  test('tells a stranger nothing of a crash', async () => {
    const db = new Proxy(app.context.db, { get: () => undefined })
    await using broken = await createTestApp({ db })
    const { status, text } = await broken.request('GET /trpc/channels.list', { token })
    expect(status).toBe(500)
    expect(JSON.parse(text).error.message).toMatch(/^Something went wrong on our side/)
    expect(text).not.toMatch(/undefined|stack|\.ts/)
  })
})

test('the example of the README is the one that is compiled with the tests, and it runs', async () => {
  const example = readFileSync('test/client/readme-example.ts', 'utf8')
  const shown = filesOf(readFileSync('README.md', 'utf8'))['try.ts']
  expect(shown?.replace('./src/client', '../../src/client')).toBe(example)

  const file = join(import.meta.dirname, `.generated-example-${process.pid}.ts`)
  writeFileSync(file, example)
  vi.stubEnv('BASE', app.base)
  vi.stubEnv('TOKEN', credential)
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import(file).finally(() => rmSync(file))
  expect(print).toHaveBeenCalledWith(['ada'])
})
