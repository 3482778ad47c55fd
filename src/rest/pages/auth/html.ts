import type { Request, Response } from 'express'

/** Markup that is safe to show: made by `html` alone. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[] | undefined

/** A template for markup. Whatever is put in is escaped, in text and in quoted attributes, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + markupOf(parts[index])).join(''))
}

function markupOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeMarkup(part)
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeMarkup = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** Fields that a form sends along unseen. */
export const hiddenFields = (fields: Record<string, string>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/**
 * For every answer of the pages. Without `form-action`: Chromium applies it to the redirect after a form too, and would
 * block the way back to the application.
 */
export const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

/** Answers with a page of ours; it has no script and loads nothing but our style sheet. */
export function showPage(response: Response, status: number, title: string, body: Html): void {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/login/style.css">
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  response.status(status).set(pageHeaders).type('html').send(page.text)
}

/** Whether a person is likely to read the answer: an envelope is for everybody else. */
export const wantsPage = (request: Request): boolean => request.accepts(['json', 'html']) === 'html'

/** Sends a browser on with GET, whatever it came with: 307 would hand the form on too. */
export function redirectWithoutReferrer(response: Response, location: string): void {
  response.status(303).set(pageHeaders).set('Location', location).end()
}
