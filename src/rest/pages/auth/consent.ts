import type { Request, Response } from 'express'
import { requireProvedFactor } from '../../../domain/access/admission.ts'
import { isLoopback, matchRedirectUri } from '../../../domain/applications/redirect-uris.ts'
import { Problem } from '../../../domain/core/problem.ts'
import {
  type AuthorizationRequest,
  type AuthorizingClient,
  countAuthorization,
  findAuthorizingClient,
  issueCode,
  refuseAuthorization,
} from '../../../domain/oauth/authorization-endpoint.ts'
import { keepUnregistered } from '../../../domain/oauth/client/unregistered.ts'
import { openTicket, signTicket } from '../../../domain/oauth/consent-ticket.ts'
import { type Html, html } from '../html.ts'
import { requireSessionToken } from './csrf.ts'
import { formField } from './form-fields.ts'
import { currentSession, type OpenSession, type PageContext } from './page-context.ts'
import { showQuestion } from './question.ts'
import { type RedirectTarget, sendCode, sendRefusal } from './redirect-back.ts'

export type Asked = AuthorizationRequest & { client: AuthorizingClient; to: RedirectTarget }

/** Asks whether an application may have what it asks for. */
export async function showConsent(
  ctx: PageContext,
  request: Request,
  response: Response,
  session: OpenSession,
  { client, to: { redirect, state }, ...asked }: Asked,
) {
  const ticket = await signTicket(ctx, 'authorization', session.secret, {
    ...asked,
    client: client.id,
    redirect,
    state,
  })
  const after = html`<p>${describeTarget(redirect)} You can take the access back at any time.</p>`
  showQuestion(ctx, response, {
    ...asked,
    action: '/oauth/authorize',
    client,
    session,
    ticket,
    after,
    next: request.originalUrl,
  })
}

/** Any program on the reader's computer can listen on loopback: only the reader can know which one it is. */
function describeTarget(redirect: string): Html {
  if (isLoopback(redirect)) {
    return html`The answer goes to a program on <b>this computer</b> (<b>${new URL(redirect).host}</b>): allow it only if you have just started that yourself.`
  }
  const { protocol, host } = new URL(redirect)
  return protocol === 'https:'
    ? html`The answer goes to <b>${host}</b>.`
    : html`The answer goes to an application on this device (<b>${redirect}</b>).`
}

/** Takes the answer to the question. What was asked stands in a ticket that we signed for this very session. */
export async function decide(ctx: PageContext, request: Request, response: Response): Promise<void> {
  const session = await currentSession(ctx)
  if (!session) throw new Problem('forbidden', 'Your session has ended. Go back to the application and start again.')
  requireSessionToken(ctx, session.secret, request)
  requireProvedFactor(ctx, session, 'all')
  await countAuthorization(ctx, session)
  const { ticket, client } = await readTicket(ctx, session, request)
  const { client: _, redirect, state, ...asked } = ticket
  const to = { redirect, state }

  const decision = formField(request, 'decision')
  if (decision === 'deny')
    return sendRefusal(ctx, response, to, refuseAuthorization('access_denied', 'The user has denied it'))
  if (decision !== 'allow') throw new Problem('invalid_request', 'decision: must be "allow" or "deny".')
  const clientId = client.host === undefined ? client.id : await keepUnregistered(ctx, session, client)
  const issue = { ...asked, clientId, userId: session.userId, redirectUri: redirect, login: session, session }
  return sendCode(ctx, response, to, await issueCode(ctx, issue))
}

/** What the form's ticket asks for, if the client is still registered for it. Otherwise throws `invalid_request`. */
async function readTicket(ctx: PageContext, session: OpenSession, request: Request) {
  const ticket = await openTicket(ctx, 'authorization', session.secret, formField(request, 'ticket'))
  const client = ticket && (await findAuthorizingClient(ctx, ticket.client))
  const isStanding =
    client?.grantTypes.includes('authorization_code') &&
    matchRedirectUri(client, ticket?.redirect) === ticket?.redirect &&
    ticket?.scopes.every((scope) => client.scopes.includes(scope))
  if (ticket && client && isStanding) return { ticket, client }
  throw new Problem('invalid_request', 'This question has expired. Go back to the application and start again.')
}
