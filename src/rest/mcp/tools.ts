import type * as z from 'zod'
import { type Access, requireAccess } from '../../domain/access/admission.ts'
import type { Principal } from '../../domain/core/actor.ts'
import { withinDeadline } from '../../domain/core/deadline.ts'
import type { Problem } from '../../domain/core/problem.ts'
import { noteCall } from '../../routers/note-call.ts'
import type { ProcedureContext } from '../../routers/trpc.ts'
import { type RestRoute, routes } from '../openapi/routes.ts'
import { explainCall } from './explain-call.ts'

/** An operation of REST, as an agent is shown it (Model Context Protocol, tools). */
export type AgentTool = {
  /** The operation's `operationId`. */
  name: string
  title: string
  /** For the agent to choose by: what it does, what it needs, and what cannot be undone. */
  description: string
  input: z.ZodObject
  access: Access
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
  route: RestRoute
}

/** What a call came to: the answer of the operation, or why it was refused. */
export type ToolAnswer = { value: unknown } | { refusal: Problem }

/** Every operation of `/v1`; not those of the authorization server, the health of the service, and the cron job. */
export const agentTools: readonly AgentTool[] = routes.flatMap(toolOf)

const byName = new Map(agentTools.map((tool) => [tool.name, tool]))

export const toolNamed = (name: unknown): AgentTool | undefined =>
  typeof name === 'string' ? byName.get(name) : undefined

/** What the calls of a tool are counted and noted as. */
export const usageNameOf = ({ name }: AgentTool) => `/mcp/${name}`

function toolOf(route: RestRoute): AgentTool[] {
  const { operation, access, procedure, input } = route
  if (access?.kind !== 'scopes' || !operation.path.startsWith('/v1/')) return []
  const { summary, description } = (procedure._def as { meta: { openapi: Described } }).meta.openapi
  const needs = `Needs ${access.by === 'user' ? 'a user’s token with' : ''} the scope ${access.scopes.join(' or ')}.`
  const sentences = [`${summary}.`, description, operation.destroys, needs.replaceAll('  ', ' ')]
  return [
    {
      name: operation.id,
      title: summary,
      description: sentences.filter(Boolean).join(' '),
      input,
      access,
      annotations: {
        readOnlyHint: operation.method === 'GET',
        destructiveHint: operation.destroys !== undefined,
        idempotentHint: operation.method !== 'POST',
        openWorldHint: false,
      },
      route,
    },
  ]
}

type Described = { summary: string; description?: string }

/**
 * Calls an operation in this process, as REST would: with the scopes of its declaration, its checks of input and output, its
 * deadline, and counted for its application. The caller was authenticated and counted in its rate limit before.
 */
export async function callTool(
  ctx: ProcedureContext & { principal: Principal },
  tool: AgentTool,
  input: object,
): Promise<ToolAnswer> {
  const begunMs = performance.now()
  const answer = await answerOf(ctx, tool, input)
  const problem = 'refusal' in answer ? answer.refusal : undefined
  const durationMs = performance.now() - begunMs
  noteCall(ctx, { operation: usageNameOf(tool), problem, durationMs, input: async () => input })
  return answer
}

async function answerOf(
  ctx: ProcedureContext & { principal: Principal },
  tool: AgentTool,
  input: object,
): Promise<ToolAnswer> {
  const { procedure, name, deadlineMs, operation } = { ...tool.route, deadlineMs: deadlineOf(tool) }
  try {
    requireAccess(tool.access, ctx.principal)
    const call = procedure({
      ctx,
      path: name,
      type: procedure._def.type,
      getRawInput: async () => input,
      signal: ctx.stopping,
      batchIndex: 0,
    })
    const value: unknown = await withinDeadline(call, deadlineMs)
    return { value: operation.envelope === 'feed' ? readable(value) : value }
  } catch (error) {
    return { refusal: explainCall(ctx, error) }
  }
}

const deadlineOf = ({ route }: AgentTool): number | undefined =>
  (route.procedure._def as { meta?: { deadlineMs?: number } }).meta?.deadlineMs

/** Events are kept as the text that is signed; an agent reads what is in it. */
function readable(page: unknown) {
  const { events, next } = page as { events: { payload: string }[]; next: string }
  return { events: events.map(({ payload }): unknown => JSON.parse(payload)), next }
}
