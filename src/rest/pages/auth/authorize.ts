import { type Request, type Response, Router } from 'express'
import { matchRedirectUri, redirectUriFault } from '../../../domain/applications/redirect-uris.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { hasAllowed } from '../../../domain/oauth/allowed-applications.ts'
import {
  type AuthorizationRequest,
  type AuthorizingClient,
  findAuthorizingClient,
  issueCode,
  refuseAuthorization,
  validateAuthorization,
} from '../../../domain/oauth/authorization-endpoint.ts'
import { readQuery } from './authorization-query.ts'
import { decide, showConsent } from './consent.ts'
import { guardForm } from './csrf.ts'
import { showLogin } from './login.ts'
import { type CallerOf, currentSession, type PageContext, pageContext } from './page-context.ts'
import { type RedirectTarget, sendCode, sendRefusal } from './redirect-back.ts'

/** The authorization endpoint (RFC 6749, section 3.1). Everything is judged before anybody is asked to log in. */
export function authorizePages(context: Context, callerOf: CallerOf): Router {
  const ctxOf = (request: Request) => pageContext(context, callerOf, request)
  return Router()
    .get('/', (request, response) => authorize(ctxOf(request), request, response))
    .post('/', guardForm(context.publicUrl), (request: Request, response: Response) =>
      decide(ctxOf(request), request, response),
    )
}

async function authorize(ctx: PageContext, request: Request, response: Response): Promise<void> {
  const { query, twice } = readQuery(request.originalUrl)
  for (const name of ['client_id', 'redirect_uri']) {
    if (twice.has(name)) throw new Problem('invalid_request', `${name}: was sent twice.`)
  }
  const client = await findAuthorizingClient(ctx, query.client_id ?? '')
  if (!client) throw new Problem('invalid_request', 'client_id: there is no such application.')
  const redirect = matchRedirectUri(client, query.redirect_uri)
  if (redirect === undefined) throw new Problem('invalid_request', redirectUriFault(client, query.redirect_uri))
  const to = { redirect, state: query.state }
  const [repeated] = twice
  const judged =
    repeated === undefined
      ? validateAuthorization(client, query)
      : refuseAuthorization('invalid_request', `${repeated.replace(/\W/g, '?')}: was sent twice`)
  if ('error' in judged) return sendRefusal(ctx, response, to, judged)
  return proceed(ctx, request, response, { ...judged, client, to, prompt: query.prompt })
}

type Asked = AuthorizationRequest & { client: AuthorizingClient; to: RedirectTarget; prompt: string | undefined }

/** Shows the login, asks for consent or issues a code, whichever comes first. With `prompt=none` no page is shown. */
async function proceed(ctx: PageContext, request: Request, response: Response, asked: Asked): Promise<void> {
  const { client, to, prompt, scopes, challenge, jkt } = asked
  const isSilent = prompt === 'none'
  const session = await currentSession(ctx)
  if (!session) {
    return isSilent
      ? sendRefusal(ctx, response, to, refuseAuthorization('login_required', 'The user is not logged in'))
      : showLogin(ctx, request, response, { next: request.originalUrl })
  }

  const { userId } = session
  if (prompt !== 'consent' && (await isAllowedAlready(ctx, client, userId, scopes))) {
    const issue = { clientId: client.id, userId, redirectUri: to.redirect, scopes, challenge, jkt }
    return sendCode(ctx, response, to, await issueCode(ctx, issue))
  }
  return isSilent
    ? sendRefusal(ctx, response, to, refuseAuthorization('consent_required', 'The user has to be asked'))
    : showConsent(ctx, request, response, { client, session, to, scopes, challenge, jkt })
}

/** Anyone can pretend to be a public client, so its user is asked every time. */
async function isAllowedAlready(
  ctx: PageContext,
  client: AuthorizingClient,
  userId: string,
  scopes: AuthorizationRequest['scopes'],
): Promise<boolean> {
  return client.isConfidential && hasAllowed(ctx, { clientId: client.id, userId, scopes })
}
