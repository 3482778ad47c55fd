import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import type { Context } from '../../../domain/core/context.ts'
import { databaseProblem } from '../../../domain/core/database-problem.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { authorizePages } from './authorize.ts'
import { consentPages } from './consent.ts'
import type { CallerOf } from './csrf.ts'
import { html, pageHeaders, showPage, wantsPage } from './html.ts'
import { loginPages } from './login.ts'
import { logoutPages } from './logout.ts'
import { signUpPages } from './signup.ts'

/** The pages on which people log in and decide: rendered here, without script, closed to other websites. */
export function authPages(context: Context, callerOf: CallerOf): Router {
  const paths = ['/oauth/authorize', '/login', '/logout', ...(context.signup === 'open' ? ['/signup'] : [])]
  const router = Router()
  router.use(paths, openPage)
  router.use(authorizePages(context, callerOf), consentPages(context, callerOf))
  router.use(loginPages(context, callerOf), logoutPages(context, callerOf), signUpPages(context, callerOf))
  router.use(showProblem)
  return router
}

const ALLOW = ['GET', 'HEAD', 'POST', 'OPTIONS']

const openPage: RequestHandler = ({ method }, response, next) => {
  response.set(pageHeaders)
  if (!ALLOW.includes(method)) {
    throw new Problem('method_not_allowed', 'This page takes GET and POST.', { allow: ALLOW })
  }
  if (method !== 'OPTIONS') return next()
  return void response.set('Allow', ALLOW.join(', ')).status(204).end()
}

/** What leads to no redirect is a page for people; for anybody else the next handler writes the envelope. */
const showProblem: ErrorRequestHandler = (error, request, response, next) => {
  const problem = error instanceof Problem ? error : databaseProblem(error)
  if (!problem || !wantsPage(request)) return next(error)
  const { allow, retryAfterS } = problem.details
  if (allow) response.set('Allow', allow.join(', '))
  if (retryAfterS !== undefined) response.set('Retry-After', String(retryAfterS))
  return showPage(response, problem.status, 'This did not work', html`<p role="alert">${problem.message}</p>`)
}
