import type { Request, Response } from 'express'
import { isLoopback, matchRedirectUri } from '../../../domain/applications/redirect-uris.ts'
import { Problem } from '../../../domain/core/problem.ts'
import {
  type AuthorizationRequest,
  type AuthorizingClient,
  findAuthorizingClient,
  issueCode,
  refuseAuthorization,
} from '../../../domain/oauth/authorization-endpoint.ts'
import { openTicket, signTicket } from '../../../domain/oauth/consent-ticket.ts'
import { scopeDescriptions } from '../../../shared/scope-descriptions.ts'
import { html } from '../html.ts'
import { requireSessionToken, sessionToken } from './csrf.ts'
import { formField } from './form-fields.ts'
import { hiddenFields, showPage } from './page.ts'
import { currentSession, type OpenSession, type PageContext } from './page-context.ts'
import { type RedirectTarget, sendCode, sendRefusal } from './redirect-back.ts'

type Question = AuthorizationRequest & { client: AuthorizingClient; session: OpenSession; to: RedirectTarget }

/** Asks whether an application may have what it asks for. Allow and Deny are of equal weight. */
export async function showConsent(ctx: PageContext, request: Request, response: Response, question: Question) {
  const { client, session, to, scopes, challenge, jkt } = question
  const { redirect, state } = to
  const csrf = sessionToken(ctx, session.secret)
  const asked = { client: client.id, redirect, scopes, challenge, jkt, ...(state !== undefined && { state }) }
  const ticket = await signTicket(ctx, session.secret, asked)
  const wishes = scopes.map((scope) => html`<li>${scopeDescriptions[scope]}</li>`)
  showPage(
    response,
    200,
    `${client.name} wants access to your account`,
    html`<p>You are logged in as <b>${session.username}</b>. ${describeDeveloper(client)}</p>
<p>If you allow it, ${client.name} can:</p>
<ul>${wishes}</ul>
<form method="post" action="/oauth/authorize">${hiddenFields({ ticket, csrf })}
<p class="choices"><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p>
</form>
<p>${describeTarget(redirect)} You can take the access back at any time.</p>
<form method="post" action="/logout">${hiddenFields({ csrf, next: request.originalUrl })}
<p class="quiet">Not ${session.username}? <button class="link">Use another account</button></p>
</form>`,
  )
}

function describeDeveloper({ developer, websiteUrl }: AuthorizingClient) {
  const website = websiteUrl === null ? undefined : html` Its website is <b>${websiteUrl}</b>.`
  const maker = developer === null ? 'The operator of this site' : developer
  return html`The application was registered by <b>${maker}</b>.${website}`
}

/** Any program on the reader's computer can listen on loopback: only the reader can know which one it is. */
function describeTarget(redirect: string) {
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
  const { client, redirect, state, scopes, challenge, jkt } = await readTicket(ctx, session, request)
  const to = { redirect, state }

  const decision = formField(request, 'decision')
  if (decision === 'deny')
    return sendRefusal(ctx, response, to, refuseAuthorization('access_denied', 'The user has denied it'))
  if (decision !== 'allow') throw new Problem('invalid_request', 'decision: must be "allow" or "deny".')
  const issue = { clientId: client, userId: session.userId, redirectUri: redirect, scopes, challenge, jkt }
  return sendCode(ctx, response, to, await issueCode(ctx, issue))
}

/** What the form's ticket asks for, if the client is still registered for it. Otherwise throws `invalid_request`. */
async function readTicket(ctx: PageContext, session: OpenSession, request: Request) {
  const ticket = await openTicket(ctx, session.secret, formField(request, 'ticket'))
  const client = ticket && (await findAuthorizingClient(ctx, ticket.client))
  const isStanding =
    client?.grantTypes.includes('authorization_code') &&
    matchRedirectUri(client, ticket?.redirect) === ticket?.redirect &&
    ticket?.scopes.every((scope) => client.scopes.includes(scope))
  if (ticket && isStanding) return ticket
  throw new Problem('invalid_request', 'This question has expired. Go back to the application and start again.')
}
