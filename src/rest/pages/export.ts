import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Response, Router } from 'express'
import { admit, asPrincipal, asUser } from '../../domain/access/admission.ts'
import { countExport, exportAccount } from '../../domain/accounts/export/export-account.ts'
import type { UserPrincipal } from '../../domain/core/actor.ts'
import type { Caller } from '../../domain/core/caller.ts'
import type { Context, UserContext } from '../../domain/core/context.ts'
import { pageHeaders } from './auth/page.ts'
import type { CallerOf } from './auth/page-context.ts'
import { sessionOf } from './auth/session-cookie.ts'

/** As the console's own deletions: somebody who is logged in, and has just shown who they are. */
const access = { kind: 'session', credential: undefined, needs: ['enrolment', 'stepUp'] } as const

/** All that is kept of whoever is logged in, as a file. It is sent as it is read, no faster than it is taken. */
export function exportPage(context: Context, callerOf: CallerOf): Router {
  return Router().get('/', async (request, response) => {
    const caller = { ...callerOf(request), ...sessionOf(request, context.publicUrl) }
    const ctx = { ...context, principal: await readerOf(context, caller) }
    if (request.method === 'HEAD') return void response.end()
    await countExport(ctx)
    response.set(pageHeaders).type('json').attachment(`${ctx.principal.username}.json`)
    return send(ctx, response)
  })
}

async function readerOf(context: Context, caller: Caller): Promise<UserPrincipal> {
  const reader = await admit(context, access, caller)
  if (!reader) throw new Error('A session is a principal')
  return asUser(asPrincipal(reader))
}

/** Whoever leaves needs nothing more. Where it fails by us the file breaks off, so that it is no JSON. */
async function send(ctx: UserContext, response: Response): Promise<void> {
  try {
    await pipeline(Readable.from(exportAccount(ctx), { objectMode: true, highWaterMark: 1 }), response)
  } catch (error) {
    const hasLeft = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!hasLeft) ctx.log.error({ err: error }, 'An export of an account broke off')
    response.destroy()
  }
}
