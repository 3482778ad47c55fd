import { type Request, type Response, Router } from 'express'
import { startSession } from '../../../domain/access/sessions.ts'
import { signUp } from '../../../domain/accounts/accounts.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { PASSWORD_LENGTH_MIN } from '../../../shared/limits.ts'
import { setCookie } from './cookies.ts'
import {
  type CallerOf,
  formField,
  guardForm,
  type PageContext,
  pageContext,
  requireVisitorToken,
  visitorToken,
} from './csrf.ts'
import { hiddenFields, html, redirectWithoutReferrer, showPage } from './html.ts'
import { returnPath } from './return-path.ts'

/** Making an account, where strangers may; else there is nothing at this path. */
export function signUpPages(context: Context, callerOf: CallerOf): Router {
  const { publicUrl } = context
  const router = Router()
  if (context.signup === 'closed') return router

  router.get('/signup', (request, response) => {
    const next = typeof request.query.next === 'string' ? request.query.next : ''
    showSignUp(pageContext(context, callerOf, request), request, response, { next })
  })

  router.post('/signup', guardForm(publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    requireVisitorToken(ctx, request)
    const [username, email, next] = [
      formField(request, 'username'),
      formField(request, 'email'),
      formField(request, 'next'),
    ]
    try {
      const user = await signUp(ctx, { username, email, password: formField(request, 'password') })
      setCookie(response, 'sid', await startSession(ctx, user.id), publicUrl)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return showSignUp(ctx, request, response, { next, username, email, problem: error })
    }
    return redirectWithoutReferrer(response, returnPath(next, publicUrl))
  })
  return router
}

type SignUpForm = { next: string; username?: string; email?: string; problem?: Problem }

function showSignUp(ctx: PageContext, request: Request, response: Response, form: SignUpForm): void {
  const { next, username = '', email = '', problem } = form
  const { retryAfterS } = problem?.details ?? {}
  if (retryAfterS !== undefined) response.set('Retry-After', String(retryAfterS))
  const fields = hiddenFields({ csrf: visitorToken(ctx, request, response), next })
  showPage(
    response,
    problem?.status ?? 200,
    'Sign up',
    html`${problem && html`<p class="alert" role="alert">${sentenceOf(problem)}</p>`}
<form method="post" action="/signup">${fields}
<label>Username <span class="quiet">3 to 25 of a–z, 0–9 and _; also the name of your channel</span>
<input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${username}"></label>
<label>Email <input name="email" type="email" autocomplete="email" required value="${email}"></label>
<label>Password <span class="quiet">at least ${String(PASSWORD_LENGTH_MIN)} characters</span>
<input name="password" type="password" autocomplete="new-password" required></label>
<p class="choices"><button>Sign up</button></p>
</form>
<p>You have an account? <a href="/login?next=${encodeURIComponent(next)}">Log in</a></p>`,
  )
}

/** The message for people: it begins with the field, which is a word of the form. */
const sentenceOf = ({ message }: Problem) =>
  message.replace(/^([a-z])([a-z]*): /, (_, first: string, rest: string) => `${first.toUpperCase()}${rest} `)
