import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../../domain/core/context.ts'
import { databaseProblem } from '../../domain/core/database-problem.ts'
import { sha256, sha256Hex } from '../../domain/core/digest.ts'
import { Problem, type ProblemCode } from '../../domain/core/problem.ts'
import { leave } from '../../domain/ingest/connections.ts'
import { KeepAlives } from '../../domain/ingest/keep-alives.ts'
import { admitMediaServer } from '../../domain/ingest/media-servers.ts'
import { type IngestOutcome, ingestMetrics } from '../../domain/ingest/metrics.ts'
import { publish } from '../../domain/ingest/publish.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import { readBody } from '../http/bodies/body.ts'
import { callerOf } from '../http/caller.ts'
import { parseRequestTarget } from '../http/request-target.ts'
import { headersOfProblem } from '../http/response.ts'
import { type MediaServerCall, readJsonCall, readNginxCall } from './media-server-call.ts'

const PATH = '/internal/ingest'
const BODY = { names: new Set<string>(), lists: new Set<string>(), nullables: new Set<string>(), bytesMax: 16 * 1024 }
/** Media servers give up after ten seconds. */
const TIMEOUT_MS = 8_000
const CONNECTIONS_MAX = 2_000

type Answer = { status: number; headers?: Record<string, string>; body?: string; outcome: IngestOutcome }
type Door = { ctx: Context; keepAlives: KeepAlives; edge: EdgeLogger }
/** A call, and whether somebody still waits for what it is answered. */
type Asked = MediaServerCall & { isJson: boolean; isAwaited: () => boolean }

/**
 * The server that media servers ask about encoders: `POST /internal/ingest`, and nothing else. What it does not let in is not to
 * be published: every answer but 2xx and 3xx refuses, and so does none. It reports what it did to the log, never a key.
 */
export function createIngestServer(ctx: Context, keepAlives = new KeepAlives(ctx)): Server {
  const edge = new EdgeLogger(ctx.log, {
    down: 'Encoders cannot be checked: those that publish go on unchecked',
    up: 'Encoders are checked again',
  })
  const door = { ctx, keepAlives, edge }
  const options = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxHeaderSize: 8 * 1024 }
  const server = createServer(options, (request, response) => void serve(door, request, response))
  server.maxConnections = CONNECTIONS_MAX
  return server
}

async function serve(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isAwaited = () => !response.destroyed
  const answer = await answerTo(door, request, isAwaited).catch((error: unknown) => refusal(door, error))
  ingestMetrics.calls[answer.outcome]++
  response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers }).end(answer.body)
}

async function answerTo(door: Door, request: IncomingMessage, isAwaited: () => boolean): Promise<Answer> {
  const { path, query } = parseRequestTarget(request.url ?? '')
  if (path !== PATH) throw new Problem('not_found', 'There is nothing at this path.')
  if (request.method !== 'POST') throw new Problem('method_not_allowed', 'Use POST.', { allow: ['POST'] })
  const caller = callerOf(request, 0)
  await admitMediaServer(door.ctx, caller, query.secret)
  const fields = await readBody(request, BODY, undefined)
  const isJson = /^application\/json/i.test(request.headers['content-type'] ?? '')
  const server = typeof query.server === 'string' ? query.server : caller.address
  const call = isJson ? readJsonCall(fields, server) : readNginxCall(fields, server)
  return { ...accepted(isJson), ...(await act(door, { ...call, isJson, isAwaited })) }
}

/** SRS wants to read that the code is 0. */
const accepted = (isJson: boolean) => (isJson ? { status: 200, body: '{"code":0}' } : { status: 204 })

async function act(door: Door, call: Asked) {
  switch (call.happening) {
    case 'publish':
      return enter(door, call)
    case 'update':
      return keep(door, call)
    case 'done':
      return { outcome: (await depart(door, call)) ? 'left' : 'ignored' } as const
    case 'nothing':
      return { outcome: 'ignored' } as const
  }
}

/** The key is the name of the stream until the answer to nginx-rtmp gives it another one; nobody else can be told one. */
async function enter(door: Door, call: Asked) {
  const { ctx } = door
  if (call.isJson && call.isRenamed)
    throw new Problem('forbidden', 'Publish under the name of the channel, with the key as the argument "key".')
  const { id: channelId, username } = await publish(ctx, call)
  if (!call.isAwaited()) return giveBack(door, call)
  ctx.log.info({ channelId, address: call.address }, 'Encoder publishes')
  if (!call.isRenamed) return { outcome: 'published' } as const
  return { status: 302, headers: { Location: username }, outcome: 'published' } as const
}

/** Who has not waited for the answer has refused its encoder, which comes back as another connection: that one is let in. */
async function giveBack(door: Door, call: MediaServerCall) {
  await depart(door, call)
  return { outcome: 'late' } as const
}

/** Where nobody can tell, the encoder goes on: an outage of the database must not cut everybody off. */
async function keep({ keepAlives, edge }: Door, { key, connection }: MediaServerCall) {
  const isKept = await keepAlives.keep({ keyHash: sha256Hex(key), connection }).catch((error: unknown) => {
    edge.down({ err: error })
    return undefined
  })
  if (isKept === undefined) return { outcome: 'undecided' } as const
  edge.up()
  if (isKept) return { outcome: 'kept' } as const
  throw new Problem('forbidden', 'This encoder may not publish any more.')
}

async function depart({ ctx }: Door, { key, connection }: MediaServerCall): Promise<boolean> {
  const channelId = await leave(ctx, sha256(key), connection)
  if (channelId !== undefined) ctx.log.info({ channelId }, 'Encoder has gone')
  return channelId !== undefined
}

const outcomes: Partial<Record<ProblemCode, IngestOutcome>> = {
  invalid_token: 'wrong_key',
  rate_limited: 'throttled',
  already_live: 'busy',
  forbidden: 'cut',
  internal_error: 'failed',
  unavailable: 'failed',
}

function refusal({ ctx }: Door, error: unknown): Answer {
  const problem = error instanceof Problem ? error : (databaseProblem(error) ?? failure(ctx, error))
  const { status, code, message } = problem
  const outcome = outcomes[code] ?? 'refused'
  ctx.log.info({ outcome, reason: code, message }, 'Encoder refused')
  return { status, headers: headersOfProblem(problem), body: JSON.stringify({ error: { code, message } }), outcome }
}

function failure(ctx: Context, error: unknown): Problem {
  ctx.log.error({ err: error }, 'A call of a media server failed')
  return new Problem('internal_error', 'Something went wrong on our side.')
}
