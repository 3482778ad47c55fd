import type { Request as ExpressRequest, Response as ExpressResponse, RequestHandler } from 'express'
import { admit, asPrincipal, requireAccess } from '../../domain/access/admission.ts'
import type { Principal, Reader } from '../../domain/core/actor.ts'
import type { Context } from '../../domain/core/context.ts'
import { Problem } from '../../domain/core/problem.ts'
import { noteCall } from '../../routers/note-call.ts'
import type { ProcedureContext } from '../../routers/trpc.ts'
import { rateHeaders } from '../http/rate-headers.ts'
import type { createAgentHandler } from '../mcp/handler.ts'
import { toolNamed, usageNameOf } from '../mcp/tools.ts'
import type { CallerOf } from './auth/page-context.ts'
import type { ReadText } from './read-text.ts'

/** A token that is for this resource alone (RFC 8707) is good here. */
const RESOURCE = '/mcp' as const
/** What a request is noted as whose message was not looked at. */
const DOOR = 'POST /mcp'

type Message = { method?: unknown; params?: { name?: unknown } }

/**
 * The door of agents (Model Context Protocol, Streamable HTTP): the operations of REST as tools, without sessions, for clients of
 * every version of the protocol. A request is one message, of somebody with a credential, and counts as one in its rate limit.
 */
export function mcpPages(context: Context, callerOf: CallerOf, read: ReadText): RequestHandler {
  let handler: Promise<ReturnType<typeof createAgentHandler>> | undefined
  const answer = async (request: ExpressRequest, response: ExpressResponse) => {
    const caller = { ...callerOf(request), resource: RESOURCE }
    const ctx = { ...context, caller }
    const principal = await noting(ctx, DOOR, async () => asPrincipal(await admitAgent(ctx)))
    if (caller.record?.credential) response.set(rateHeaders(caller.record.credential, undefined))
    const text = await read(request)
    const message = messageIn(text)
    await requireScopes(ctx, message, principal)
    const asked = requestOf(request, context.publicUrl + RESOURCE, text)
    handler ??= import('../mcp/handler.ts').then((loaded) => loaded.createAgentHandler(context)) // large, and most have no agents
    await write(response, await (await handler)(asked, message, { caller, principal }))
  }
  return (request, response, next) => {
    answer(request, response).catch(next)
  }
}

async function admitAgent(ctx: ProcedureContext): Promise<Reader> {
  const principal = await admit(ctx, { kind: 'any' }, ctx.caller)
  if (!principal) throw new Error('An agent was admitted as nobody')
  return principal
}

/** One message: a list of them, which older versions had, would be many requests that count as one. */
function messageIn(text: string): Message {
  const message = parse(text)
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new Problem('invalid_request', 'body: must be one JSON-RPC message, an object.')
  }
  return message
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem('invalid_request', 'body: must be JSON.', { cause })
  }
}

/** A scope that is missing is told by the status (403), so that a client can ask its person for it and try again. */
async function requireScopes(ctx: ProcedureContext, { method, params }: Message, principal: Principal): Promise<void> {
  const tool = method === 'tools/call' ? toolNamed(params?.name) : undefined
  if (tool) await noting(ctx, usageNameOf(tool), async () => requireAccess(tool.access, principal))
}

/** Notes a refusal for the application whose credential it was. */
async function noting<Result>(ctx: ProcedureContext, operation: string, judge: () => Promise<Result>): Promise<Result> {
  const begunMs = performance.now()
  try {
    return await judge()
  } catch (problem) {
    const durationMs = performance.now() - begunMs
    if (problem instanceof Problem) noteCall(ctx, { operation, problem, durationMs, input: async () => undefined })
    throw problem
  }
}

function requestOf({ method, headers }: ExpressRequest, url: string, body: string): Request {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return new Request(url, { method, headers: Object.fromEntries(given), body })
}

async function write(response: ExpressResponse, answer: Response): Promise<void> {
  const type = answer.headers.get('content-type')
  const text = await answer.text()
  response.status(answer.status).set('Cache-Control', 'no-store')
  if (type) response.set('Content-Type', type)
  response.end(text)
}
