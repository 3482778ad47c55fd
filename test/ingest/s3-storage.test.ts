import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import aws4 from 'aws4'
import { afterAll, expect, test } from 'vitest'
import { s3Storage } from '../../src/domain/ingest/thumbnails/storage.ts'
import { collectGarbage } from '../support/garbage.ts'

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'se/cr+et' }
const stored = new Map<string, Buffer>()
let isDown = false
/** Where the store hangs. */
let hangs: 'nowhere' | 'before its answer' | 'within its answer' = 'nowhere'

/** The signature of a request, made anew by another library from what was signed. */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]))
  const again = aws4.sign(
    { service: 's3', region: 'eu-1', method, path: url, headers: { ...signed, host: String(headers.host) } } as object,
    credentials,
  )
  if (method === 'PUT' && signed['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex'))
    return false
  const theirs = String(headers.authorization).replaceAll(', ', ',')
  return String((again.headers as Record<string, string>).Authorization).replaceAll(', ', ',') === theirs
}

/** A store that speaks as much of S3 as is used. */
const server = createServer(async (request, response) => {
  const body = await buffer(request)
  const { method, url = '' } = request
  if (!isSigned(request, body)) return response.writeHead(403).end()
  if (hangs === 'within its answer') response.writeHead(200).write('a pic')
  if (hangs !== 'nowhere') return undefined
  if (isDown) return response.writeHead(503).end()
  if (method === 'PUT') stored.set(url, body)
  if (method === 'DELETE') stored.delete(url)
  const found = stored.get(url)
  if (method === 'GET') return found ? response.end(found) : response.writeHead(404).end()
  return response.writeHead(method === 'DELETE' ? 204 : 200).end()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const addressOf = (secret: string) =>
  `http://AKID:${encodeURIComponent(secret)}@127.0.0.1:${port}/bucket/live/pictures/?region=eu-1`
const storage = s3Storage(addressOf(credentials.secretAccessKey))

test('a store of S3 keeps pictures below its prefix, by signed requests, until they are removed', async () => {
  const jpeg = Buffer.from('a picture')
  await storage.put('thm_1', jpeg)
  expect([...stored]).toEqual([['/bucket/live/pictures/thm_1.jpg', jpeg]])
  expect(await storage.get('thm_1')).toEqual(jpeg)
  expect(await storage.get('thm_2')).toBeUndefined()
  await storage.remove('thm_1')
  await storage.remove('thm_1')
  expect(stored.size).toBe(0)
})

test('what it refuses is an error which names no secret', async () => {
  const other = s3Storage(addressOf('another'))
  const refused = await other.put('thm_1', Buffer.from('x')).catch(String)
  expect(refused).toContain('answered 403')
  expect(refused).not.toContain('another')
  isDown = true
  for (const call of [storage.get, storage.remove]) await expect(call('thm_1')).rejects.toThrow('answered 503')
})

test('a store that hangs is waited for no longer than five seconds, though garbage is collected', async () => {
  using _ = collectGarbage()
  const outcomes: Promise<unknown>[] = []
  for (const where of ['before its answer', 'within its answer'] as const) {
    hangs = where
    const asked = [storage.put('thm_1', Buffer.from('a picture')), storage.get('thm_1'), storage.remove('thm_1')]
    outcomes.push(...asked.map((call) => call.then(String, ({ name }: Error) => name)))
    await new Promise((resolve) => setTimeout(resolve, 500)) // they have arrived
  }
  expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 6 }, () => 'TimeoutError'))
  hangs = 'nowhere'
}, 15_000)
