import { once } from 'node:events'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import type { ProcessContext } from '../../src/process/context.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import type { RequestMeasure } from '../../src/rest/http/measure.ts'
import { createHttpServer } from '../../src/rest/http/server.ts'
import { createTestContext } from './context.ts'
import { freePort } from './free-port.ts'

type Settings = { trustProxy?: number; loadLimit?: LoadLimit; measure?: RequestMeasure }
type Init = { token?: string | undefined; body?: RequestInit['body'] | object; headers?: Record<string, string> }

/** The whole service on a database and a port of its own, at a time that only the test moves. */
export async function createTestApp(overrides: Partial<ProcessContext> & Settings = {}) {
  const { trustProxy = 0, loadLimit = new LoadLimit(), measure, ...parts } = overrides
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const test = await createTestContext({ publicUrl: base, ...parts })
  const { context } = test
  const server = createHttpServer({
    contextOf: () => context,
    log: context.log,
    publicUrl: context.publicUrl,
    trustProxy,
    loadLimit,
    measure,
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')

  return {
    ...test,
    base,
    server,
    /** Sends `GET /path` and the like; a plain object goes as JSON. */
    async request(route: string, { token, body, headers }: Init = {}) {
      const [method = 'GET', path = '/'] = route.split(' ')
      const isJson = body?.constructor === Object
      const response = await fetch(base + path, {
        method,
        redirect: 'manual',
        body: isJson ? JSON.stringify(body) : ((body as RequestInit['body']) ?? null),
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(isJson && { 'content-type': 'application/json' }),
          ...headers,
        },
      })
      const text = await response.text()
      const isJsonAnswer = response.headers.get('content-type')?.startsWith('application/json')
      const json = isJsonAnswer && text !== '' ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, body: json }
    },

    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await test[Symbol.asyncDispose]()
    },
  }
}

/** The same, in which live streams hear at once of what is committed; `stop` is the beginning of the end of the process. */
export async function createLiveApp(settings: Settings = {}) {
  const { wake, onWake } = new WakeHub()
  const stopping = new AbortController()
  return {
    ...(await createTestApp({ ...settings, wake, onWake, stopping: stopping.signal })),
    stop: () => stopping.abort(),
  }
}
