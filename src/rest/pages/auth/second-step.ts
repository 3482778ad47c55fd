import type { Request, Response, Router } from 'express'
import { findPendingLogin } from '../../../domain/access/pending-logins.ts'
import { completeLogin } from '../../../domain/accounts/second-step.ts'
import type { Context } from '../../../domain/core/context.ts'
import { html } from '../html.ts'
import { readCookie } from './cookies.ts'
import { entryPages, type ShownForm, showEntryPage } from './entry-form.ts'
import { nextOf } from './form-fields.ts'
import { redirectWithoutReferrer } from './page.ts'
import { type CallerOf, type PageContext, pageContext } from './page-context.ts'

/** The second step of a login, for whoever has a second factor: the password alone has opened nothing. */
export function secondStepPages(context: Context, callerOf: CallerOf): Router {
  const pendingOf = (request: Request) => readCookie(request, 'login', context.publicUrl)
  const enter = async (ctx: PageContext, { code }: { code: string }, request: Request) => ({
    session: await completeLogin(ctx, pendingOf(request), code),
  })
  const router = entryPages(context, callerOf, { fields: ['code'] as const, enter, show: showSecondStep })
  router.get('/', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    const next = nextOf(request)
    const pending = pendingOf(request)
    if (pending !== undefined && (await findPendingLogin(ctx, pending)))
      return showSecondStep(ctx, request, response, { next })
    return redirectWithoutReferrer(response, `/login?next=${encodeURIComponent(next)}`)
  })
  return router
}

function showSecondStep(
  ctx: PageContext,
  request: Request,
  response: Response,
  { next, problem }: ShownForm<'code'>,
): void {
  const alert = problem && html`<p class="alert" role="alert">${problem.message}</p>`
  showEntryPage(ctx, request, response, {
    title: 'Confirm that it is you',
    next,
    problem,
    form: (hidden) => html`${alert}<form method="post" action="/login/code">${hidden}
<label>Code <span class="quiet">of your authenticator app, or one of your recovery codes</span>
<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus></label>
<p class="choices"><button>Continue</button></p>
</form>
<p><a href="/login?next=${encodeURIComponent(next)}">Begin again</a></p>`,
  })
}
