import type { Request, Response } from 'express'
import { withParameters } from '../../../domain/applications/redirect-uris.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import type { AuthorizationRefusal, AuthorizingClient } from '../../../domain/oauth/authorization-endpoint.ts'
import { html } from '../html.ts'
import { redirectWithoutReferrer, showPage, wantsPage } from './page.ts'

/** Where an answer goes: an address that is known to be registered, and the state as the client gave it, if it did. */
export type RedirectTarget = { redirect: string; state: string | undefined }

/** Sends the browser back to the client with a code. `iss` tells the client whose answer it is (RFC 9207). */
export function sendCode(
  { publicUrl: iss }: Context,
  response: Response,
  { redirect, state }: RedirectTarget,
  code: string,
) {
  redirectWithoutReferrer(response, withParameters(redirect, { code, state, iss }))
}

type Refused = { client: AuthorizingClient; to: RedirectTarget }

/**
 * Says why there is no code, and offers the way back: whoever was led here by a link of a stranger's shall see where that leads
 * (RFC 9700, section 4.11.2). Throws `invalid_request` for whoever wants no page.
 */
export function showRefusal(
  { publicUrl: iss }: Context,
  request: Request,
  response: Response,
  { client, to: { redirect, state } }: Refused,
  { error, description }: AuthorizationRefusal,
): void {
  if (!wantsPage(request)) throw new Problem('invalid_request', `${error}: ${description}`)
  const { host, protocol } = new URL(redirect)
  const place = host === '' ? protocol : host
  const back = withParameters(redirect, { error, error_description: description, state, iss })
  const words = html`<p role="alert">${client.name} has sent you here, and its request cannot be answered: ${description}.</p>
<p>The application leads to <b>${place}</b>: <code>${redirect}</code>. <a href="${back}" rel="noreferrer">Go back to ${client.name}</a> only if you came from there.</p>`
  showPage(response, 400, 'This did not work', words)
}

/** Sends the browser back to the client without a code, and says why. */
export function sendRefusal(
  { publicUrl: iss }: Context,
  response: Response,
  { redirect, state }: RedirectTarget,
  { error, description }: AuthorizationRefusal,
) {
  redirectWithoutReferrer(response, withParameters(redirect, { error, error_description: description, state, iss }))
}
