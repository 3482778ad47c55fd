import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Context } from './context.ts'
import { Problem } from './errors.ts'

/** The version of the API; `/v1` grows only additively, so its first number is that of the path. */
export const apiVersion = '1.0.0'

/** The process runs; says nothing about its database. */
export const liveness = { ok: true, service: 'developer-api' } as const

const ANSWER_MS = 2_000

/** What the service is and where its parts are. */
export function metadata({ publicUrl }: Pick<Context, 'publicUrl'>) {
  return {
    service: liveness.service,
    version: apiVersion,
    documentation: `${publicUrl}/docs`,
    openapi: `${publicUrl}/openapi.json`,
    authorization_server: `${publicUrl}/.well-known/oauth-authorization-server`,
  }
}

/** Whether requests can be answered: the database answers within 2 s. Throws `unavailable` otherwise. */
export async function checkReadiness(ctx: Context): Promise<{ ready: true }> {
  const stop = new AbortController()
  const silence = after(ANSWER_MS, 'silence' as const, { signal: stop.signal, ref: false }).catch(
    () => 'silence' as const,
  )
  try {
    const answer = await Promise.race([ctx.db.execute(sql`select 1`), silence])
    if (answer === 'silence') throw new Problem('unavailable', 'The database does not answer.', { retryAfterS: 1 })
    return { ready: true }
  } finally {
    stop.abort()
  }
}
