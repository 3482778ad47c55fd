import { type Request, type Response, Router } from 'express'
import { endSession } from '../../../domain/access/sessions.ts'
import type { Context } from '../../../domain/core/context.ts'
import { html } from '../html.ts'
import { clearCookie } from './cookies.ts'
import { guardForm, requireSessionToken, sessionToken } from './csrf.ts'
import { formField } from './form-fields.ts'
import { hiddenFields, redirectWithoutReferrer, showPage } from './page.ts'
import { type CallerOf, currentSession, pageContext } from './page-context.ts'
import { returnPath } from './return-path.ts'

/** Log out: a link leads to a question, and only the form ends the session. */
export function logoutPages(context: Context, callerOf: CallerOf): Router {
  const { publicUrl } = context
  const router = Router()

  router.get('/', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    const session = await currentSession(ctx)
    if (!session) return redirectWithoutReferrer(response, '/login')
    const fields = hiddenFields({ csrf: sessionToken(ctx, session.secret) })
    return showPage(
      response,
      200,
      'Log out',
      html`<p>You are logged in as <b>${session.username}</b>.</p>
<form method="post" action="/logout">${fields}<p class="choices"><button>Log out</button></p></form>`,
    )
  })

  router.post('/', guardForm(publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    const { session: secret } = ctx.caller
    if (secret !== undefined) {
      requireSessionToken(ctx, secret, request)
      await endSession(ctx, secret)
    }
    clearCookie(response, 'sid', publicUrl)
    return redirectWithoutReferrer(response, returnPath(formField(request, 'next'), publicUrl, '/login'))
  })
  return router
}
