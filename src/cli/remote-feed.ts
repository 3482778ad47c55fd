import { EventSourceParserStream } from 'eventsource-parser/stream'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { LinkedController } from '../time/linked-controller.ts'
import { Refusal } from './io.ts'
import { type Connect, Disconnected, type FeedPlace, type FeedStep, type ListenSelection } from './resumed-feed.ts'

/** `credential` is asked for at each connection, because one may outlive it. It throws when the signal aborts. */
export type FeedService = { url: string; credential: (stopping: AbortSignal) => Promise<string> }

/** The service gives a sign of life every 15 s: who hears nothing for so long has no connection any more. */
const SILENT_MS = 40_000

/** Connections to `GET /v1/events` of a service. */
export const remoteFeed = (service: FeedService, selection: ListenSelection): Connect =>
  async function* (place, signal) {
    const watch = new Watch(signal)
    try {
      // a stream tells where it begins by what programs drop; a page tells it in a way that all can read
      const begin = isNow(place) ? { after: await present(service, selection, watch) } : place
      const stream = await ask(service, queryOf(selection, begin), watch, true)
      yield { events: [], cursor: begin.after }
      yield* stepsOf(stream, watch)
    } catch (error) {
      if (error instanceof Refusal || error instanceof Disconnected) throw error
      throw new Disconnected({ code: 'unreachable', message: unreachable(service.url, error) })
    } finally {
      watch.end()
    }
  }

const isNow = ({ after, since }: FeedPlace) => after === undefined && since === undefined

/** The cursor of what comes from now on. */
async function present(service: FeedService, selection: ListenSelection, watch: Watch): Promise<string> {
  const page = await ask(service, queryOf(selection, {}), watch, false)
  await page.body?.cancel()
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
  const cursor = new URLSearchParams(next.replace(/^[^?]*/, '')).get('after')
  if (cursor === null) throw notOurs()
  return cursor
}

async function* stepsOf({ body }: Response, watch: Watch): AsyncGenerator<FeedStep> {
  if (!body) throw notOurs()
  const parser = new EventSourceParserStream({ onComment: watch.heard })
  for await (const { id: cursor = '', event = '', data } of body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(parser)) {
    watch.heard()
    if (event === 'end') throw endOf(JSON.parse(data))
    yield { events: event === 'progress' ? [] : [{ ...eventIn(data), cursor }], cursor }
  }
  throw new Disconnected({ code: 'unreachable', message: 'The service has ended the stream.' })
}

/** The payload stays as it is, to the byte: it is what gets signed. */
function eventIn(payload: string) {
  const { id, type } = JSON.parse(payload) as { id: string; type: string }
  return { id, type, payload }
}

function endOf({ reason, message }: { reason: string; message: string }): Error {
  if (reason === 'revoked')
    return new Refusal({ code: 'revoked', message: `The service has ended the stream: ${message}` })
  return new Disconnected({ code: 'unavailable', message }, { isRenewal: reason === 'recycled' })
}

function queryOf({ types, channel }: ListenSelection, place: FeedPlace): URLSearchParams {
  const fields = { types: types?.join(), channel, ...place }
  return new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  )
}

async function ask({ url, credential }: FeedService, query: URLSearchParams, watch: Watch, isStream: boolean) {
  const type = isStream ? 'text/event-stream' : 'application/json'
  const headers = { authorization: `Bearer ${await credential(watch.signal)}`, accept: type }
  const path = query.size > 0 ? `/v1/events?${query}` : '/v1/events'
  const response = await fetch(new URL(path, url), { headers, signal: watch.signal })
  watch.heard()
  if (response.status !== 200) throw await refusalOf(response)
  if (response.headers.get('content-type')?.split(';', 1)[0] !== type) throw notOurs()
  return response
}

async function refusalOf(response: Response): Promise<Error> {
  const text = await response.text()
  const problem = problemIn(text)
  if (!problem) return new Error(`HTTP status ${response.status}`)
  if (response.status < 500 && response.status !== 429) return new Refusal(problem)
  return new Disconnected(problem, { retryAfterMs: 1000 * (Number(response.headers.get('retry-after')) || 0) })
}

function problemIn(text: string): { code: string; message: string } | undefined {
  try {
    const { code, message } = JSON.parse(text).error
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined
  } catch {
    return undefined
  }
}

const notOurs = () => new Error('it answered with something else')

/** The innermost cause of a failed fetch says why it failed. */
export function unreachable(baseUrl: string, error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return `There is no answer of the service at ${baseUrl} (${errorMessageOf(cause)}): does it run, and is this its address? Give another by --url or DEVELOPER_API_URL`
}

/** Cuts a connection off that is silent. */
class Watch {
  readonly #ending: LinkedController

  constructor(signal: AbortSignal) {
    this.#ending = new LinkedController({ signal, ms: SILENT_MS })
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  heard = (): void => this.#ending.refresh()

  /** The connection is given up, whatever still comes. */
  end(): void {
    this.#ending[Symbol.dispose]()
    this.#ending.abort()
  }
}
