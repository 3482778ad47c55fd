import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import type { Context } from '../../../domain/core/context.ts'
import { databaseProblem } from '../../../domain/core/database-problem.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { html } from '../html.ts'
import { authorizePages } from './authorize.ts'
import { loginPages } from './login.ts'
import { logoutPages } from './logout.ts'
import { pageHeaders, showPage, wantsPage } from './page.ts'
import type { CallerOf } from './page-context.ts'
import { signUpPages } from './signup.ts'

/** The pages on which people log in and decide: rendered here, without script, closed to other websites. */
export const authPages = (context: Context, callerOf: CallerOf) => ({
  '/oauth/authorize': forPeople(authorizePages(context, callerOf)),
  '/login': forPeople(loginPages(context, callerOf)),
  '/logout': forPeople(logoutPages(context, callerOf)),
  '/signup': context.signup === 'open' ? forPeople(signUpPages(context, callerOf)) : Router(),
})

const forPeople = (page: Router): Router => Router().use(setPageHeaders, page).use(showProblem)

const setPageHeaders: RequestHandler = (_request, response, next) => {
  response.set(pageHeaders)
  next()
}

/** Shows a problem as a page to people. For anybody else the next handler writes the envelope. */
const showProblem: ErrorRequestHandler = (error, request, response, next) => {
  const problem = error instanceof Problem ? error : databaseProblem(error)
  if (!problem || !wantsPage(request)) return next(error)
  const { retryAfterS } = problem.details
  if (retryAfterS !== undefined) response.set('Retry-After', String(retryAfterS))
  return showPage(response, problem.status, 'This did not work', html`<p role="alert">${problem.message}</p>`)
}
