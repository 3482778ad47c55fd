import { Router } from 'express'
import { ERASED_AFTER_DAYS } from '../../../shared/limits.ts'
import { html } from '../html.ts'
import { showPage } from './page.ts'

/** Where whoever has deleted their account ends up. It says the same to everybody, so it needs no session. */
export function closedPage(): Router {
  return Router().get('/', (_request, response) =>
    showPage(
      response,
      200,
      'Your account is deleted',
      html`<p>You are logged out everywhere, and nobody sees your channel any more.</p>
<p>In ${String(ERASED_AFTER_DAYS)} days its data is erased for good. A mail tells the day. Until then whoever runs this service can open the account again for you.</p>`,
    ),
  )
}
