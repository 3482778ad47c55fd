import type { Request, Response, Router } from 'express'
import { logIn } from '../../../domain/accounts/login.ts'
import type { Context } from '../../../domain/core/context.ts'
import { html } from '../html.ts'
import { entryPages, type ShownForm, showEntryPage } from './entry-form.ts'
import { nextOf } from './form-fields.ts'
import { redirectWithoutReferrer } from './page.ts'
import { type CallerOf, currentSession, type PageContext, pageContext } from './page-context.ts'
import { returnPath } from './return-path.ts'
import { secondStepPages } from './second-step.ts'
import { styleSheet } from './style.ts'

/** Log in, the second step of it, and the style sheet of all pages. */
export function loginPages(context: Context, callerOf: CallerOf): Router {
  const form = { fields: ['username', 'password'] as const, enter: logIn, show: showLogin }
  const router = entryPages(context, callerOf, form)

  router.use('/code', secondStepPages(context, callerOf))
  router.get('/style.css', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').type('css').send(styleSheet)
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
export function showLogin(
  ctx: PageContext,
  request: Request,
  response: Response,
  { next, values, problem }: ShownForm<'username' | 'password'>,
): void {
  const alert = problem && html`<p class="alert" role="alert">${problem.message}</p>`
  const signUp =
    ctx.signup === 'open'
      ? html`<p>No account yet? <a href="/signup?next=${encodeURIComponent(next)}">Sign up</a></p>`
      : undefined
  showEntryPage(ctx, request, response, {
    title: 'Log in',
    next,
    problem,
    form: (hidden) => html`${alert}<form method="post" action="/login">${hidden}
<label>Username <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${values?.username ?? ''}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p class="choices"><button>Log in</button></p>
</form>${signUp}`,
  })
}
