import { type Request, type Response, Router } from 'express'
import { logIn } from '../../../domain/accounts/login.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { setCookie } from './cookies.ts'
import {
  type CallerOf,
  currentSession,
  formField,
  guardForm,
  type PageContext,
  pageContext,
  requireVisitorToken,
  visitorToken,
} from './csrf.ts'
import { hiddenFields, html, redirectWithoutReferrer, showPage } from './html.ts'
import { returnPath } from './return-path.ts'
import { styleSheet } from './style.ts'

/** Log in, and the style sheet of all pages. */
export function loginPages(context: Context, callerOf: CallerOf): Router {
  const { publicUrl } = context
  const router = Router()

  router.get('/login/style.css', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').type('css').send(styleSheet)
  })

  router.get('/login', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    const next = typeof request.query.next === 'string' ? request.query.next : ''
    if (await currentSession(ctx)) return redirectWithoutReferrer(response, returnPath(next, publicUrl))
    return showLogin(ctx, request, response, { next })
  })

  router.post('/login', guardForm(publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    requireVisitorToken(ctx, request)
    const [username, password, next] = [
      formField(request, 'username'),
      formField(request, 'password'),
      formField(request, 'next'),
    ]
    try {
      setCookie(response, 'sid', await logIn(ctx, { username, password }), publicUrl)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return showLogin(ctx, request, response, { next, username, problem: error })
    }
    return redirectWithoutReferrer(response, returnPath(next, publicUrl))
  })

  return router
}

type LoginForm = { next: string; username?: string; problem?: Problem }

/** The login form; after it the browser goes to `next`. With a problem: what was wrong, and its status. */
export function showLogin(
  ctx: PageContext,
  request: Request,
  response: Response,
  { next, username = '', problem }: LoginForm,
): void {
  const { retryAfterS } = problem?.details ?? {}
  if (retryAfterS !== undefined) response.set('Retry-After', String(retryAfterS))
  const fields = hiddenFields({ csrf: visitorToken(ctx, request, response), next })
  const alert = problem && html`<p class="alert" role="alert">${problem.message}</p>`
  const signUp =
    ctx.signup === 'open'
      ? html`<p>No account yet? <a href="/signup?next=${encodeURIComponent(next)}">Sign up</a></p>`
      : undefined
  showPage(
    response,
    problem?.status ?? 200,
    'Log in',
    html`${alert}<form method="post" action="/login">${fields}
<label>Username <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${username}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p class="choices"><button>Log in</button></p>
</form>${signUp}`,
  )
}
