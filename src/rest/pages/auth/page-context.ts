import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { findSession, type Session } from '../../../domain/access/sessions.ts'
import type { Caller } from '../../../domain/core/caller.ts'
import type { Context } from '../../../domain/core/context.ts'
import { readCookie } from './cookies.ts'

/** Finds the caller of a request that has come to a page. */
export type CallerOf = (request: IncomingMessage) => Caller

/** A page's context, with the session's secret and the accounts that know the browser. Whoever acts by it has come through `guardForm`. */
export const pageContext = (context: Context, callerOf: CallerOf, request: Request) => {
  const session = readCookie(request, 'sid', context.publicUrl)
  const devices = readCookie(request, 'devices', context.publicUrl)
  return { ...context, caller: { ...callerOf(request), session, devices } }
}
export type PageContext = ReturnType<typeof pageContext>

/** A living session, with the secret that the browser showed. */
export type OpenSession = Session & { secret: string }

export async function currentSession(ctx: PageContext): Promise<OpenSession | undefined> {
  const { session: secret } = ctx.caller
  const session = secret === undefined ? undefined : await findSession(ctx, secret)
  return session && secret !== undefined ? { ...session, secret } : undefined
}
