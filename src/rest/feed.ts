import type { AnyProcedure } from '@trpc/server'
import { admitReader } from '../domain/access/reader-admission.ts'
import type { Caller } from '../domain/core/caller.ts'
import type { Context } from '../domain/core/context.ts'
import { type Deadline, withinDeadline } from '../domain/core/deadline.ts'
import { WAITING_DEADLINE_MS } from '../domain/events/feed/wait.ts'
import type { EventStream } from '../domain/events/streams/event-stream.ts'
import { appRouter } from '../routers/index.ts'
import type { LiveCall } from '../routers/streams.ts'
import { queryOf } from './http/query.ts'
import type { IncomingRequest } from './http/request-record.ts'
import type { RequestTarget } from './http/request-target.ts'
import { linkTo, type RestResponse } from './http/response.ts'
import { prefersStream } from './http/stream-calls.ts'
import { feedForm } from './live/feed-form.ts'
import { SseSink } from './live/sse-sink.ts'
import type { RestRoute } from './openapi/routes.ts'

type Exchange = IncomingRequest & { target: RequestTarget; deadline: Deadline }
type Page = { events: { payload: string }[]; next: string }
type Fields = Record<string, unknown>

const { follow } = appRouter.events

/** The events of the caller's feed: as a page of JSON, or as a stream for who prefers that. A HEAD never waits. */
export async function answerFeed(context: Context, exchange: Exchange, route: RestRoute): Promise<RestResponse> {
  const { request, response, target, caller, deadline } = exchange
  const { principal, reader } = await deadline.within(admitReader(context, route.access, caller, target.query.key))
  const { key: _, ...query } = queryOf(target, route)
  const gone = new AbortController()
  if (response.destroyed)
    gone.abort() // while its credential was looked up
  else response.once('close', () => gone.abort())
  const ask = (procedure: AnyProcedure, type: 'query' | 'subscription', input: Fields) =>
    procedure({
      ctx: { principal, ...context, caller: reader },
      path: route.name,
      type,
      getRawInput: async () => input,
      signal: gone.signal,
      batchIndex: 0,
    })
  if (request.method === 'GET' && prefersStream(request.headers.accept)) {
    const input = resumed(query, request.headers['last-event-id'])
    const { stream } = await deadline.within<LiveCall>(ask(follow, 'subscription', input), (late) =>
      late.stream.leave(),
    )
    return streamed(context, reader, stream)
  }
  const input = withNumbers(request.method === 'HEAD' ? { ...query, wait: '0' } : query, route)
  const page: Page = await withinDeadline(ask(route.procedure, 'query', input), WAITING_DEADLINE_MS)
  const body = `{"data":[${page.events.map(({ payload }) => payload).join()}]}` // to the byte, as a webhook has them
  return { status: 200, headers: { Link: linkTo(page.next, target, 'after') }, body }
}

/** A browser connects again to the same address, and says in a header which event it saw last. */
function resumed({ since, ...query }: Fields, seen: string | string[] | undefined): Fields {
  if (!seen) return since === undefined ? query : { ...query, since }
  return { ...query, after: String(seen) }
}

function withNumbers(query: Fields, { numbers }: RestRoute): Fields {
  const given = numbers.filter((name) => typeof query[name] === 'string')
  return { ...query, ...Object.fromEntries(given.map((name) => [name, Number(query[name])])) }
}

function streamed(context: Context, reader: Caller, stream: EventStream): RestResponse {
  try {
    reader.becomeStream?.()
  } catch (busy) {
    stream.leave()
    throw busy
  }
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
  return {
    status: 200,
    headers,
    stream: {
      open(response) {
        response.once('close', () => stream.leave())
        stream.open(new SseSink(response, feedForm(context, stream.key)))
      },
      leave: () => stream.leave(),
    },
  }
}
