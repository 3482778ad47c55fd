import { type Request, type Response, Router } from 'express'
import { verifyAddress } from '../../../../domain/accounts/addresses.ts'
import { findLink } from '../../../../domain/accounts/mail-links.ts'
import type { Context } from '../../../../domain/core/context.ts'
import { html } from '../../html.ts'
import { guardForm, requireVisitorToken, visitorFor, visitorToken } from '../csrf.ts'
import { formField, tokenOfQuery } from '../form-fields.ts'
import { hiddenFields, showPage } from '../page.ts'
import { type CallerOf, pageContext } from '../page-context.ts'

/** Confirming an address: the link of the mail leads to a question, so that a program which opens links confirms nothing. */
export function verifyPages(context: Context, callerOf: CallerOf): Router {
  const router = Router()

  router.get('/', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    const token = tokenOfQuery(request)
    const link = await findLink(ctx, ['verify'], token)
    if (!link) return showDead(response)
    const hidden = hiddenFields({ csrf: visitorToken(ctx, visitorFor(ctx, request, response)), token })
    return showPage(
      response,
      200,
      'Confirm your address',
      html`<p>Is <b>${link.address}</b> the address of your account <b>${link.username}</b>?</p>
<form method="post" action="/verify">${hidden}<p class="choices"><button>Confirm</button></p></form>`,
    )
  })

  router.post('/', guardForm(context.publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    requireVisitorToken(ctx, request)
    const { username, address } = await verifyAddress(ctx, formField(request, 'token'))
    return showPage(
      response,
      200,
      'Your address is confirmed',
      html`<p><b>${address}</b> is now the address of <b>${username}</b>.</p><p><a href="/console/">Go on</a></p>`,
    )
  })
  return router
}

function showDead(response: Response): void {
  showPage(
    response,
    400,
    'This link does not work any more',
    html`<p>It was used, has ended, or a newer one replaced it. Your account can send a new one: <a href="/console/account">Account</a>.</p>`,
  )
}
