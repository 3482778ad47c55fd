import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import type { Context } from '../../../domain/core/context.ts'
import { databaseProblem } from '../../../domain/core/database-problem.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { headersOfProblem } from '../../http/response.ts'
import { html } from '../html.ts'
import type { ReadText } from '../read-text.ts'
import { authorizePages } from './authorize.ts'
import { closedPage } from './closed.ts'
import { devicePages } from './device.ts'
import { readForm } from './form-fields.ts'
import { forgotPages } from './links/forgot.ts'
import { resetPages } from './links/reset.ts'
import { verifyPages } from './links/verify.ts'
import { loginPages } from './login.ts'
import { logoutPages } from './logout.ts'
import { pageHeaders, showPage, wantsPage } from './page.ts'
import type { CallerOf } from './page-context.ts'
import { signUpPages } from './signup.ts'

/** The pages on which people log in and decide: rendered here, without script, closed to other websites. */
export function authPages(context: Context, callerOf: CallerOf, readText: ReadText) {
  const read = readForm(readText)
  const forPeople = (page: Router): Router => Router().use(setPageHeaders, read, page).use(showProblem)
  return {
    '/oauth/authorize': forPeople(authorizePages(context, callerOf)),
    '/device': forPeople(devicePages(context, callerOf)),
    '/login': forPeople(loginPages(context, callerOf)),
    '/logout': forPeople(logoutPages(context, callerOf)),
    '/forgot': forPeople(forgotPages(context, callerOf)),
    '/reset': forPeople(resetPages(context, callerOf)),
    '/verify': forPeople(verifyPages(context, callerOf)),
    '/closed': forPeople(closedPage()),
    '/signup': forPeople(signUpPages(context, callerOf)),
  }
}

const setPageHeaders: RequestHandler = (_request, response, next) => {
  response.set(pageHeaders)
  next()
}

/** Shows a problem as a page to people. For anybody else the next handler writes the envelope. */
const showProblem: ErrorRequestHandler = (error, request, response, next) => {
  const problem = error instanceof Problem ? error : databaseProblem(error)
  if (!problem || !wantsPage(request)) return next(error)
  response.set(headersOfProblem(problem))
  return showPage(response, problem.status, 'This did not work', html`<p role="alert">${problem.message}</p>`)
}
