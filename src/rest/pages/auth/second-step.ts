import { type Request, type Response, Router } from 'express'
import { findPendingLogin } from '../../../domain/access/pending-logins.ts'
import { completeLoginByPasskey } from '../../../domain/accounts/passkey-login.ts'
import { completeLogin } from '../../../domain/accounts/second-step.ts'
import type { Context } from '../../../domain/core/context.ts'
import { passkeyRequest } from '../../../domain/factors/passkey-assertion.ts'
import { html } from '../html.ts'
import { readCookie } from './cookies.ts'
import { entryPages, type ShownForm, showEntryPage } from './entry-form.ts'
import { nextOf } from './form-fields.ts'
import { redirectWithoutReferrer } from './page.ts'
import { type CallerOf, type PageContext, pageContext } from './page-context.ts'
import { passkeyForm } from './passkey-form.ts'

/** The second step of a login, for whoever has a second factor: the password alone has opened nothing. */
export function secondStepPages(context: Context, callerOf: CallerOf): Router {
  const byCode = {
    fields: ['code'] as const,
    enter: async (ctx: PageContext, { code }: { code: string }, request: Request) => ({
      session: await completeLogin(ctx, pendingOf(ctx, request), code),
    }),
    show: showSecondStep,
  }
  const byPasskey = {
    fields: ['assertion'] as const,
    enter: async (ctx: PageContext, { assertion }: { assertion: string }, request: Request) => ({
      session: await completeLoginByPasskey(ctx, pendingOf(ctx, request), assertion),
    }),
    show: showSecondStep,
  }
  const router = Router()
    .use('/passkey', entryPages(context, callerOf, byPasskey))
    .use(entryPages(context, callerOf, byCode))
  router.get('/', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    return showSecondStep(ctx, request, response, { next: nextOf(request) })
  })
  return router
}

const pendingOf = ({ publicUrl }: Context, request: Request) => readCookie(request, 'login', publicUrl)

/** Asks for the second factor of the login that waits; where none does, that begins anew. */
async function showSecondStep(
  ctx: PageContext,
  request: Request,
  response: Response,
  { next, problem }: Pick<ShownForm<never>, 'next' | 'problem'>,
): Promise<void> {
  const again = `/login?next=${encodeURIComponent(next)}`
  const secret = pendingOf(ctx, request)
  const login = secret === undefined ? undefined : await findPendingLogin(ctx, secret)
  if (!login || secret === undefined) return redirectWithoutReferrer(response, again)
  const alert = problem && html`<p class="alert" role="alert">${problem.message}</p>`
  await showEntryPage(ctx, request, response, {
    title: 'Confirm that it is you',
    next,
    problem,
    passkey: () => passkeyRequest(ctx, 'second step', { secret, userId: login.userId }),
    form: (hidden, passkey) => html`${alert}<form method="post" action="/login/code">${hidden}
<label>Code <span class="quiet">of your authenticator app, or one of your recovery codes</span>
<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required></label>
<p class="choices"><button>Continue</button></p>
</form>${passkeyForm({ action: '/login/code/passkey', hidden, label: 'Use a passkey', request: passkey })}
<p><a href="${again}">Begin again</a></p>`,
  })
}
