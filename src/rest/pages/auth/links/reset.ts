import { type Request, type Response, Router } from 'express'
import { findResetLink, resetPassword } from '../../../../domain/accounts/forgotten-password.ts'
import type { MailLink } from '../../../../domain/accounts/mail-links.ts'
import { listOwnedCredentials, type OwnedCredential } from '../../../../domain/accounts/owned-credentials.ts'
import type { Context } from '../../../../domain/core/context.ts'
import { Problem } from '../../../../domain/core/problem.ts'
import { PASSWORD_LENGTH_MIN } from '../../../../shared/limits.ts'
import { html } from '../../html.ts'
import { guardForm, requireVisitorToken, visitorFor, visitorToken } from '../csrf.ts'
import { formField, tokenOfQuery } from '../form-fields.ts'
import { hiddenFields, showPage } from '../page.ts'
import { type CallerOf, type PageContext, pageContext } from '../page-context.ts'
import { sentenceOf } from '../problem-sentence.ts'

/** Setting a new password by the link of a mail. Only the form uses the link up. */
export function resetPages(context: Context, callerOf: CallerOf): Router {
  const router = Router()

  router.get('/', async (request, response) => {
    const ctx = pageContext(context, callerOf, request)
    return showReset(ctx, request, response, tokenOfQuery(request))
  })

  router.post('/', guardForm(context.publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    requireVisitorToken(ctx, request)
    const token = formField(request, 'token')
    const endsCredentials = formField(request, 'end_credentials') === 'on'
    try {
      await resetPassword(ctx, { token, password: formField(request, 'new_password'), endsCredentials })
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      return showReset(ctx, request, response, token, problem)
    }
    const kept = endsCredentials
      ? 'So have keys, and what was added to your account and your applications lately.'
      : undefined
    return showPage(
      response,
      200,
      'Your password is changed',
      html`<p>Every session and every access that you gave to applications has ended. ${kept}</p><p><a href="/login">Log in</a></p>`,
    )
  })
  return router
}

async function showReset(ctx: PageContext, request: Request, response: Response, token: string, problem?: Problem) {
  const link = await findResetLink(ctx, token)
  if (!link) return showDead(response)
  const alert = problem && html`<p class="alert" role="alert">${sentenceOf(problem)}</p>`
  const hidden = hiddenFields({ csrf: visitorToken(ctx, visitorFor(ctx, request, response)), token })
  return showPage(
    response,
    problem?.status ?? 200,
    'Set a new password',
    html`${alert}<p>For your account <b>${link.username}</b>${link.purpose === 'restore' ? html`, which has the address <b>${link.address}</b> again then` : ''}. Every session and every access that you gave to applications ends with it.</p>
<form method="post" action="/reset">${hidden}
<label>New password <span class="quiet">at least ${String(PASSWORD_LENGTH_MIN)} characters</span>
<input name="new_password" type="password" autocomplete="new-password" required></label>
${await describeCredentials(ctx, link)}
<p class="choices"><button>Set the password</button></p>
</form>`,
  )
}

/** Programs go on working, unless whoever sets the password fears for them as well. */
async function describeCredentials(ctx: PageContext, { userId }: MailLink) {
  const { credentials, hasMore } = await listOwnedCredentials(ctx, userId)
  if (credentials.length === 0) return undefined
  const lines = credentials.map((one) => html`<li>${wordsOf(one)}, since ${one.created_at.slice(0, 10)}</li>`)
  const more = hasMore ? html`<li>and more</li>` : undefined
  return html`<p>These of your own go on working:</p>
<ul>${lines}${more}</ul>
<label><input name="end_credentials" type="checkbox"> End all of these as well: choose it if somebody else may have had your account</label>`
}

const kindWords: Record<OwnedCredential['kind'], string> = {
  passkey: 'passkey',
  totp: 'authenticator app',
  recovery_codes: 'recovery codes',
  stream: 'stream key',
  overlay: 'overlay key',
  key: 'API key',
  secret: 'client secret',
  member: 'member',
  webhook: 'webhook to',
  redirect_uri: 'redirect address',
  public_keys: 'public keys',
}

function wordsOf({ kind, name, last4, label }: OwnedCredential): string {
  const which = last4 === null ? label : `…${last4}`
  const what = which === null ? kindWords[kind] : `${kindWords[kind]} ${which}`
  return name === null ? `Your ${what}` : `${name}: ${what}`
}

function showDead(response: Response): void {
  showPage(
    response,
    400,
    'This link does not work any more',
    html`<p>It was used, has ended, or the password or address was changed since. <a href="/forgot">Ask for a new one</a>.</p>`,
  )
}
