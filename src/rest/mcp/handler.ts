import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Principal } from '../../domain/core/actor.ts'
import type { Caller } from '../../domain/core/caller.ts'
import type { Context } from '../../domain/core/context.ts'
import { createMcpServer } from './server.ts'

/** Who sent a message, after they were admitted. */
export type AdmittedAgent = { caller: Caller; principal: Principal }

/** Answers messages by the protocol, each with a server of its own: nothing is kept between them, and no stream stays open. */
export function createAgentHandler(context: Context) {
  const admitted = new WeakMap<Request, AdmittedAgent>()
  const { fetch: answer } = createMcpHandler(
    ({ requestInfo }) => {
      const agent = requestInfo && admitted.get(requestInfo)
      if (!agent) throw new Error('An agent was served that nobody has admitted')
      return createMcpServer({ ...context, ...agent })
    },
    { maxSubscriptions: 0, onerror: (error) => context.log.debug({ err: error }, 'An agent was refused') },
  )
  return (request: Request, message: object, agent: AdmittedAgent): Promise<Response> => {
    admitted.set(request, agent)
    return answer(request, { parsedBody: message })
  }
}
