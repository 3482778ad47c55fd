import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AnyProcedure, getErrorShape, getTRPCErrorFromUnknown, isTrackedEnvelope, TRPCError } from '@trpc/server'
import { Problem } from '../../domain/core/problem.ts'
import { appRouter } from '../../routers/index.ts'
import { LiveCall } from '../../routers/streams.ts'
import type { ProcedureContext } from '../../routers/trpc.ts'
import { requireTextIn } from '../http/query.ts'
import { searchOf } from '../http/request-target.ts'
import { CALL_BEAT, CALL_GREETING, CALL_RETURN, callFailure, callForm, callItem } from './call-form.ts'
import { SseSink } from './sse-sink.ts'

const procedures = appRouter._def.procedures as unknown as Record<string, AnyProcedure>

export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
} as const

/** As often as the streams of events give a sign of life. */
const BEAT_MS = 15_000

export type StreamCall = {
  name: string
  request: IncomingMessage
  response: ServerResponse
  ctx: ProcedureContext
}

/**
 * Answers a call of a subscription as tRPC does, and writes what it yields by ourselves. tRPC answers 200 before it knows
 * whether the caller may, so a refusal comes in the stream. `report` is called for failures that are ours.
 */
export async function serveStreamCall(
  call: StreamCall,
  report: (error: TRPCError, path: string) => void,
): Promise<void> {
  const { name, request, response, ctx } = call
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const shapeOf = (cause: unknown) => {
    const error = getTRPCErrorFromUnknown(
      cause instanceof Problem ? new TRPCError({ code: 'BAD_REQUEST', cause }) : cause,
    )
    report(error, name)
    return getErrorShape({
      config: appRouter._def._config,
      error,
      type: 'subscription',
      path: name,
      input: undefined,
      ctx: undefined, // our shapes do not depend on it, and it would be kept as long as the stream
    })
  }
  try {
    const found = await procedures[name]?.({
      ctx,
      path: name,
      type: 'subscription',
      getRawInput: async () => inputOf(request),
      signal: gone.signal,
      batchIndex: 0,
    })
    if (found instanceof LiveCall) openLive(found, call, shapeOf)
    else await pump(found, call)
  } catch (error) {
    begin(response)
    const isRecycled = error instanceof Error && error.name === 'AbortError' // its client comes again
    response.end(isRecycled ? '' : callFailure(shapeOf(error)))
  } finally {
    if (response.destroyed) response.end() // whoever left before it was open: that was the work for it
  }
}

function openLive(found: LiveCall, { response, ctx }: StreamCall, shapeOf: (problem: unknown) => unknown) {
  if (response.destroyed) return found.stream.leave()
  response.once('close', () => found.stream.leave())
  ctx.caller.becomeStream?.()
  response.writeHead(200, streamHeaders)
  found.stream.open(new SseSink(response, callForm(found, shapeOf)))
}

/** Whatever else a subscription yields. */
async function pump(items: AsyncIterable<unknown>, { response, ctx }: StreamCall) {
  ctx.caller.becomeStream?.()
  begin(response)
  const beats = setInterval(() => response.write(CALL_BEAT), BEAT_MS)
  try {
    for await (const item of items) {
      if (response.destroyed) return
      response.write(isTrackedEnvelope(item) ? callItem(item[0], item[1]) : callItem(undefined, item))
    }
  } finally {
    clearInterval(beats)
  }
  response.end(CALL_RETURN)
}

function begin(response: ServerResponse) {
  if (!response.headersSent) response.writeHead(200, streamHeaders).write(CALL_GREETING)
}

/** The input in the address. A browser that connects again says in a header which event it saw last. */
function inputOf({ url = '', headers: { 'last-event-id': seen } }: IncomingMessage): unknown {
  requireTextIn(searchOf(url))
  const { searchParams } = new URL(url, 'http://localhost')
  const text = searchParams.get('input')
  const input = text === null ? undefined : parse(text)
  const lastEventId = seen ?? searchParams.get('lastEventId')
  if (!lastEventId || (input !== undefined && (typeof input !== 'object' || input === null))) return input
  return { ...input, lastEventId }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TRPCError({ code: 'PARSE_ERROR', message: 'input: is not JSON.', cause })
  }
}
