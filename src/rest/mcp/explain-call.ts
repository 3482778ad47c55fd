import { TRPCError } from '@trpc/server'
import { Problem } from '../../domain/core/problem.ts'
import { faultOf, problemFrom } from '../../routers/problem.ts'
import type { ProcedureContext } from '../../routers/trpc.ts'

/** What an agent is told of a call that failed; what is ours to mend goes to the log. */
export function explainCall({ log, caller }: ProcedureContext, error: unknown): Problem {
  if (error instanceof Problem) return error
  const failed = error instanceof TRPCError ? error : new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error })
  const fault = faultOf(failed)
  if (fault !== undefined) log.error({ err: fault, requestId: caller.requestId }, 'A call of an agent failed')
  return problemFrom(failed)
}
