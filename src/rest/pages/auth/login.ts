import { type Request, type Response, Router } from 'express'
import { logIn } from '../../../domain/accounts/login.ts'
import { logInByPasskey } from '../../../domain/accounts/passkey-login.ts'
import type { Context } from '../../../domain/core/context.ts'
import { passkeyRequest } from '../../../domain/factors/passkey-assertion.ts'
import { html } from '../html.ts'
import { visitorOf } from './csrf.ts'
import { entryPages, type ShownForm, showEntryPage } from './entry-form.ts'
import { nextOf } from './form-fields.ts'
import { redirectWithoutReferrer } from './page.ts'
import { type CallerOf, currentSession, type PageContext, pageContext } from './page-context.ts'
import { passkeyForm, passkeyScript } from './passkey-form.ts'
import { returnPath } from './return-path.ts'
import { secondStepPages } from './second-step.ts'
import { styleSheet } from './style.ts'

/** Log in, by password or passkey, the second step of it, and the style sheet and the script of all pages. */
export function loginPages(context: Context, callerOf: CallerOf): Router {
  const byPassword = { fields: ['username', 'password'] as const, enter: logIn, show: showLogin }
  const byPasskey = {
    fields: ['assertion'] as const,
    enter: async (ctx: PageContext, { assertion }: { assertion: string }, request: Request) => ({
      session: await logInByPasskey(ctx, visitorOf(request, context), assertion),
    }),
    show: (ctx: PageContext, request: Request, response: Response, { next, problem }: ShownForm<'assertion'>) =>
      showLogin(ctx, request, response, { next, ...(problem && { problem }) }),
  }
  const router = Router()
    .use('/code', secondStepPages(context, callerOf))
    .use('/passkey', entryPages(context, callerOf, byPasskey))
    .use(entryPages(context, callerOf, byPassword))

  router.get('/style.css', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').type('css').send(styleSheet)
  })
  router.get('/passkey.js', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').type('js').send(passkeyScript)
  })

  router.get('/', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    const next = nextOf(request)
    if (await currentSession(ctx)) return redirectWithoutReferrer(response, returnPath(next, context.publicUrl))
    return showLogin(ctx, request, response, { next })
  })
  return router
}

/** The login form. Afterwards the browser goes to `next`. */
export async function showLogin(
  ctx: PageContext,
  request: Request,
  response: Response,
  { next, values, problem }: ShownForm<'username' | 'password'>,
): Promise<void> {
  const alert = problem && html`<p class="alert" role="alert">${problem.message}</p>`
  const signUp =
    ctx.signup === 'open'
      ? html`<p>No account yet? <a href="/signup?next=${encodeURIComponent(next)}">Sign up</a></p>`
      : undefined
  await showEntryPage(ctx, request, response, {
    title: 'Log in',
    next,
    problem,
    passkey: (visitor) => passkeyRequest(ctx, 'login', { secret: visitor }),
    form: (hidden, passkey) => html`${alert}<form method="post" action="/login">${hidden}
<label>Username or email <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${values?.username ?? ''}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p class="choices"><button>Log in</button></p>
</form>${passkeyForm({ action: '/login/passkey', hidden, label: 'Use a passkey', request: passkey })}
<p><a href="/forgot">Forgotten your password?</a></p>${signUp}`,
  })
}
