import { type Request, type Response, Router } from 'express'
import { requestReset } from '../../../../domain/accounts/forgotten-password.ts'
import type { Context } from '../../../../domain/core/context.ts'
import { html } from '../../html.ts'
import { guardForm, requireVisitorToken, visitorFor, visitorToken } from '../csrf.ts'
import { formField } from '../form-fields.ts'
import { hiddenFields, showPage } from '../page.ts'
import { type CallerOf, pageContext } from '../page-context.ts'

/** Asking for a new password. The answer is the same for every name and address, whether somebody has it or not. */
export function forgotPages(context: Context, callerOf: CallerOf): Router {
  const router = Router()

  router.get('/', (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    const hidden = hiddenFields({ csrf: visitorToken(ctx, visitorFor(ctx, request, response)) })
    showPage(
      response,
      200,
      'Forgotten password',
      html`<p>Say who you are, and we send a link to your address.</p>
<form method="post" action="/forgot">${hidden}
<label>Username or email <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required></label>
<p class="choices"><button>Send the link</button></p>
</form>
<p><a href="/login">Log in</a></p>`,
    )
  })

  router.post('/', guardForm(context.publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    requireVisitorToken(ctx, request)
    await requestReset(ctx, formField(request, 'username'))
    showPage(
      response,
      200,
      'Look into your mail',
      html`<p>If there is such an account, a link to set a new password is on its way to the address of the account. It works for half an hour.</p>
<p>Nothing came? Look among unwanted mail, and whether the name is right. At most five links an hour are sent.</p>
<p><a href="/login">Log in</a></p>`,
    )
  })
  return router
}
