import { type Request, type Response, Router } from 'express'
import { lacksFactor, requireProvedFactor } from '../../../domain/access/admission.ts'
import { matchRedirectUri, redirectUriFault } from '../../../domain/applications/redirect-uris.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { hasAllowed } from '../../../domain/oauth/allowed-applications.ts'
import {
  type AuthorizationQuery,
  type AuthorizationRefusal,
  type AuthorizingClient,
  countAuthorization,
  findAuthorizingClient,
  issueCode,
  refuseAuthorization,
  validateAuthorization,
} from '../../../domain/oauth/authorization-endpoint.ts'
import { isLoginDue, type LoginWish, readLoginWish } from '../../../domain/oauth/openid/login-wish.ts'
import { type ReadQuery, readQuery } from './authorization-query.ts'
import { type Asked, decide, showConsent } from './consent.ts'
import { guardForm } from './csrf.ts'
import { showLogin } from './login.ts'
import { type CallerOf, currentSession, type OpenSession, type PageContext, pageContext } from './page-context.ts'
import { sendCode, sendRefusal, showRefusal } from './redirect-back.ts'

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
  const read = readQuery(request.originalUrl)
  const session = await currentSession(ctx)
  await countAuthorization(ctx, session)
  const { client, redirect } = await findClient(ctx, read)
  const to = { redirect, state: read.query.state }
  const judged = judge(ctx, client, read)
  if ('error' in judged) {
    const isKnown = session !== undefined || client.trust === 'full'
    return isKnown
      ? sendRefusal(ctx, response, to, judged)
      : showRefusal(ctx, request, response, { client, to }, judged)
  }
  return proceed(ctx, request, response, { ...judged, client, to, session })
}

/** Who asks, and where the answer goes. Throws `invalid_request` for what leads nowhere: it is shown in place. */
async function findClient(ctx: PageContext, { query, twice }: ReadQuery) {
  for (const name of ['client_id', 'redirect_uri']) {
    if (twice.has(name)) throw new Problem('invalid_request', `${name}: was sent twice.`)
  }
  const client = await findAuthorizingClient(ctx, query.client_id ?? '')
  if (!client) throw new Problem('invalid_request', 'client_id: there is no such application.')
  const redirect = matchRedirectUri(client, query.redirect_uri)
  if (redirect === undefined) throw new Problem('invalid_request', redirectUriFault(client, query.redirect_uri))
  return { client, redirect }
}

type Judged = { asked: Omit<Asked, 'client' | 'to'>; wish: LoginWish; hint: string | undefined }

function judge(
  ctx: PageContext,
  client: AuthorizingClient,
  { query, twice }: ReadQuery,
): Judged | AuthorizationRefusal {
  const [repeated] = twice
  if (repeated !== undefined)
    return refuseAuthorization('invalid_request', `${repeated.replace(/\W/g, '?')}: was sent twice`)
  const asked = validateAuthorization(ctx, client, query)
  if ('error' in asked) return asked
  const wish = readLoginWish(query)
  return 'error' in wish ? wish : { asked, wish, hint: hintOf(query) }
}

const HINT_LENGTH_MAX = 254

const hintOf = ({ login_hint: hint }: AuthorizationQuery) =>
  hint !== undefined && hint.length <= HINT_LENGTH_MAX ? hint : undefined

type Proceeding = Judged & { client: AuthorizingClient; to: Asked['to']; session: OpenSession | undefined }

/** Shows the login, asks for consent or issues a code, whichever comes first. With `prompt=none` no page is shown. */
async function proceed(ctx: PageContext, request: Request, response: Response, proceeding: Proceeding): Promise<void> {
  const { client, to, session, asked, wish, hint } = proceeding
  if (!session || (await isLoginWanted(ctx, session, wish))) {
    if (!wish.isSilent) return showLogin(ctx, request, response, { next: nextOf(request, ctx), ...prefilled(hint) })
    const refusal = refuseAuthorization('login_required', 'The user has to log in')
    const isKnown = session !== undefined || client.trust !== 'none' || isFramed(request)
    return isKnown
      ? sendRefusal(ctx, response, to, refusal)
      : showRefusal(ctx, request, response, { client, to }, refusal)
  }
  requireProvedFactor(ctx, session, 'all')
  if (!wish.isConsentDue && (await isAllowedAlready(ctx, client, session, asked))) {
    const issue = {
      ...asked,
      clientId: client.id,
      userId: session.userId,
      redirectUri: to.redirect,
      login: session,
      session,
    }
    return sendCode(ctx, response, to, await issueCode(ctx, issue))
  }
  return wish.isSilent
    ? sendRefusal(ctx, response, to, refuseAuthorization('consent_required', 'The user has to be asked'))
    : showConsent(ctx, request, response, session, { ...asked, client, to })
}

/** Whether the user has to log in first. A silent request shows no page that asks for a second factor: to log in is to show one. */
const isLoginWanted = async (ctx: PageContext, session: OpenSession, wish: LoginWish): Promise<boolean> =>
  (wish.isSilent && lacksFactor(ctx, session, 'all')) || (await isLoginDue(ctx, session, wish))

/** In a frame a redirect leads nobody anywhere: it is how an application asks silently. */
const isFramed = ({ headers }: Request) => headers['sec-fetch-dest'] === 'iframe'

const prefilled = (hint: string | undefined) => (hint === undefined ? {} : { values: { username: hint, password: '' } })

/** The same request for after the login, which does not ask for another one. */
function nextOf({ originalUrl }: Request, { publicUrl }: PageContext): string {
  const url = new URL(originalUrl, publicUrl)
  const { searchParams } = url
  if (!searchParams.has('prompt') && !searchParams.has('max_age')) return originalUrl
  const prompts = (searchParams.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== 'login')
  searchParams.delete('max_age')
  searchParams.delete('prompt')
  if (prompts.length > 0) searchParams.set('prompt', prompts.join(' '))
  return url.pathname + url.search
}

/** Anyone can pretend to be a public client, so its user is asked every time. */
async function isAllowedAlready(
  ctx: PageContext,
  client: AuthorizingClient,
  { userId }: OpenSession,
  { scopes, resource }: Judged['asked'],
): Promise<boolean> {
  return client.isConfidential && hasAllowed(ctx, { clientId: client.id, userId, scopes, resource })
}
