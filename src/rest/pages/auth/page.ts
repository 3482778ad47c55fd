import type { Request, Response } from 'express'
import { type Html, html, htmlDocument } from '../html.ts'

/** Hidden fields of a form. */
export const hiddenFields = (fields: Record<string, string>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

const policyWith = (scripts = '') =>
  `default-src 'none'; ${scripts}style-src 'self'; base-uri 'none'; frame-ancestors 'none'`

/**
 * For every answer of the pages. Without `form-action`: Chromium applies it to the redirect after a form too, and would
 * block the way back to the application.
 */
export const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policyWith(),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

/** Answers with a page of ours; it loads nothing but our style sheet, and the one script of ours that it names. */
export function showPage(response: Response, status: number, title: string, body: Html, script?: string): void {
  const main = html`<main>
<h1>${title}</h1>
${body}
</main>`
  const page = htmlDocument({ title, styleSheet: '/login/style.css', script, body: main })
  const policy = script === undefined ? policyWith() : policyWith("script-src 'self'; ")
  response.status(status).set(pageHeaders).set('Content-Security-Policy', policy).type('html').send(page)
}

/** Whether a person is likely to read the answer. Everybody else gets the envelope. */
export const wantsPage = (request: Request): boolean => request.accepts(['json', 'html']) === 'html'

/** Redirects so that the browser continues with GET: a 307 would send the form along. */
export function redirectWithoutReferrer(response: Response, location: string): void {
  response.status(303).set(pageHeaders).set('Location', location).end()
}
