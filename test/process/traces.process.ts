import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { eventSpanPosition } from '../../src/telemetry/event-trace.ts'
import { logger } from '../../src/telemetry/logger.ts'
import { Traces } from '../../src/telemetry/traces.ts'
import { folderWithCluster, runCommand, startService } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

type Value = { stringValue?: string; intValue?: number }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: Value }[]
  links?: { traceId: string; spanId: string }[]
}
type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }

/** A collector of traces, as OTLP over HTTP has it: what it is sent, and the headers that came along. */
async function startCollector() {
  const spans: Span[] = []
  const authorizations = new Set<string | undefined>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    authorizations.add(request.headers.authorization)
    const { resourceSpans }: Export = JSON.parse(text)
    if (request.url === '/v1/traces')
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, authorizations, [Symbol.dispose]: () => void server.close() }
}

const attribute = ({ attributes }: Span, key: string) => attributes.find((one) => one.key === key)?.value

test('a request, its statements, its event and the attempt to deliver that are spans of one trace', async () => {
  using folder = folderWithCluster()
  using collector = await startCollector()
  await using receiver = await startReceiver()
  const service = await startService({
    DATA_DIR: folder.path,
    LOG_LEVEL: 'warn',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collecting',
  })
  const demo = DemoCredentials.parse(JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')))
  const post = (path: string, token: string, body: object, headers = {}) =>
    fetch(service.base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  await post('/v1/events/subscriptions', demo.api_key, { url: receiver.url, event_types: ['chat.message.sent'] })
  const say = (content: string, headers: Record<string, string>) =>
    post('/v1/chat/messages', demo.users.viewer.access_token, { room_name: 'streamer', content }, headers)
  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
  await say('hunter2', { 'x-request-id': 'alone' })
  await say('hunter2', { 'x-request-id': 'called', traceparent: `00-${caller.traceId}-${caller.spanId}-01` })
  await say('hunter2', { 'x-request-id': 'broken', traceparent: `00-${'0'.repeat(32)}-${caller.spanId}-01` })
  await say('hunter2', { 'x-request-id': 'refused', authorization: 'Bearer nothing' })
  await receiver.receivedEvents(3)
  expect(await service.stop()).toBe(0)

  const { spans } = collector
  const requestOf = (id: string) => {
    const found = spans.find((span) => attribute(span, 'request.id')?.stringValue === id)
    if (!found) throw new Error(`There is no span of the request ${id}`)
    return found
  }
  const below = ({ spanId }: Span, name: RegExp) =>
    spans.filter((span) => span.parentSpanId === spanId && name.test(span.name))

  for (const id of ['alone', 'broken']) {
    const request = requestOf(id)
    expect(request.name).toBe('POST /v1/chat/messages')
    expect(request.parentSpanId).toBeUndefined()
    expect(attribute(request, 'http.response.status_code')).toEqual({ intValue: 201 })
    expect(below(request, /^query with$/)).toHaveLength(1)
    const [publication, ...others] = below(request, /^publish chat.message.sent$/)
    if (!publication) throw new Error('Nothing was published')
    expect(others).toEqual([])
    const [attempt] = below(publication, /^deliver chat.message.sent$/)
    if (!attempt) throw new Error('Nothing was delivered')
    expect(attribute(attempt, 'http.response.status_code')).toEqual({ intValue: 204 })
    expect(new Set([request, publication, attempt].map(({ traceId }) => traceId)).size).toBe(1)
  }

  const called = requestOf('called')
  expect([called.traceId, called.parentSpanId]).toEqual([caller.traceId, caller.spanId])
  const [link] = called.links ?? []
  const publication = spans.find(({ spanId }) => spanId === link?.spanId)
  expect(publication?.links).toMatchObject([{ traceId: called.traceId, spanId: called.spanId }])
  expect(publication && below(publication, /^deliver/)).toHaveLength(1)

  const refused = requestOf('refused')
  expect(attribute(refused, 'http.response.status_code')).toEqual({ intValue: 401 })
  expect(below(refused, /^publish/)).toEqual([])

  expect(JSON.stringify(spans)).not.toMatch(/hunter2|lsat_|whsec_/)
  expect([...collector.authorizations]).toEqual(['Bearer collecting'])
})

test('who collects neither metrics nor traces does not load what they need', async () => {
  await runCommand(['--version']) // builds, where nobody has
  const loaded = [...loadedBy('dist/main.js')].map((file) => readFileSync(file, 'utf8')).join('')
  expect(loaded).toContain('// node_modules/express/')
  expect(loaded).not.toMatch(/\/\/ node_modules\/(?:@opentelemetry|prom-client)\//)
})

/** A file of the build with all that it imports at once, as the bundler writes it. */
function loadedBy(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known
  known.add(file)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/^import (?:[^'"]* from )?["']\.\/([^'"]+)["'];$/gm)) {
    loadedBy(join(dirname(file), name ?? ''), known)
  }
  return known
}

test('a share of the traces is kept, and each of them whole', async () => {
  using collector = await startCollector()
  const traces = new Traces({ endpoint: collector.url, share: 0.5, version: '1', log: logger })
  const ids = Array.from({ length: 60 }, (_, n) => `evt_${n}`)
  const answered = { operation: 'POST /', method: 'POST', status: 201, requestId: 'r' }
  for (const event_id of ids) {
    const request = traces.begin(undefined)
    traces.within(request, () => traces.published(event_id, 'a'))
    traces.end(request, answered)
    const attempt = { durationMs: 1, status: 204, errorClass: null }
    traces.attempted({ event_id, type: 'a', subscription_id: 's', attempts: 0 }, attempt)
  }
  await traces[Symbol.asyncDispose]()
  const spansOf = (id: string) =>
    collector.spans.filter(({ traceId }) => traceId === eventSpanPosition(id).traceId).length
  const counts = ids.map(spansOf)
  expect(new Set(counts)).toEqual(new Set([0, 3]))
})
