import { type Request, type Response, Router } from 'express'
import { requireProvedFactor } from '../../../domain/access/admission.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { findAuthorizingClient } from '../../../domain/oauth/authorization-endpoint.ts'
import { openTicket, signTicket } from '../../../domain/oauth/consent-ticket.ts'
import { answerDevice, findDevice } from '../../../domain/oauth/device/answer.ts'
import { DEVICE_CODE_GRANT } from '../../../shared/grants.ts'
import { html } from '../html.ts'
import { guardForm, requireSessionToken, sessionToken } from './csrf.ts'
import { formField } from './form-fields.ts'
import { showLogin } from './login.ts'
import { hiddenFields, showPage } from './page.ts'
import { type CallerOf, currentSession, type OpenSession, type PageContext, pageContext } from './page-context.ts'
import { showQuestion } from './question.ts'

/**
 * Where people enter the code that a device shows (RFC 8628, section 3.3). Everybody is asked, whatever they have allowed before,
 * because the code may be somebody else's; an address that has the code in it saves the typing and nothing more.
 */
export function devicePages(context: Context, callerOf: CallerOf): Router {
  return Router()
    .get('/', async (request, response) => {
      const ctx = pageContext(context, callerOf, request)
      const session = await currentSession(ctx)
      if (!session) return showLogin(ctx, request, response, { next: request.originalUrl })
      const { user_code } = request.query
      return showCodeForm(ctx, response, session, { typed: typeof user_code === 'string' ? user_code : '' })
    })
    .post('/', guardForm(context.publicUrl), async (request: Request, response: Response) => {
      const ctx = pageContext(context, callerOf, request)
      const session = await currentSession(ctx)
      if (!session) return showLogin(ctx, request, response, { next: '/device' })
      requireSessionToken(ctx, session.secret, request)
      requireProvedFactor(ctx, session, 'all')
      return formField(request, 'ticket') === ''
        ? ask(ctx, request, response, session)
        : decide(ctx, request, response, session)
    })
}

type CodeForm = { typed: string; problem?: Problem }
const TYPED_LENGTH_MAX = 40

function showCodeForm(ctx: PageContext, response: Response, session: OpenSession, { typed, problem }: CodeForm): void {
  const { retryAfterS } = problem?.details ?? {}
  if (retryAfterS !== undefined) response.set('Retry-After', String(retryAfterS))
  const alert = problem && html`<p class="alert" role="alert">${problem.message}</p>`
  const fields = hiddenFields({ csrf: sessionToken(ctx, session.secret) })
  showPage(
    response,
    problem?.status ?? 200,
    'Connect a device',
    html`${alert}<p>You are logged in as <b>${session.username}</b>. Enter the code that your device shows.</p>
<form method="post" action="/device">${fields}
<label>Code <input name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="${String(TYPED_LENGTH_MAX)}" placeholder="XXXX-XXXX" value="${typed.slice(0, TYPED_LENGTH_MAX)}"></label>
<p class="choices"><button>Continue</button></p>
</form>
<p class="quiet">Enter only a code from a device of yours that you see in front of you. If somebody sent or told you one, they want to get into your account.</p>`,
  )
}

async function ask(ctx: PageContext, request: Request, response: Response, session: OpenSession): Promise<void> {
  const typed = formField(request, 'user_code')
  try {
    const { code, userCode, clientId, scopes, resource } = await findDevice(ctx, session, typed)
    const client = await findAuthorizingClient(ctx, clientId)
    if (!client) throw new Problem('invalid_request', 'The application of this device is stopped.')
    const ticket = await signTicket(ctx, 'device', session.secret, { client: client.id, scopes, resource, code })
    const before = html`<p class="alert">A device with the code <b>${userCode}</b> asks. Did somebody send or tell you this code? Then deny: whoever gave it to you would get into your account.</p>`
    const after = html`<p>The access goes to the device that shows this code. You can take it back at any time.</p>`
    showQuestion(ctx, response, {
      action: '/device',
      client,
      session,
      scopes,
      resource,
      ticket,
      before,
      after,
      next: '/device',
    })
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    showCodeForm(ctx, response, session, { typed, problem })
  }
}

/** Takes the answer, if the application is still registered for what was asked. */
async function decide(ctx: PageContext, request: Request, response: Response, session: OpenSession): Promise<void> {
  const ticket = await openTicket(ctx, 'device', session.secret, formField(request, 'ticket'))
  const client = ticket && (await findAuthorizingClient(ctx, ticket.client))
  const isStanding =
    client?.grantTypes.includes(DEVICE_CODE_GRANT) && ticket?.scopes.every((scope) => client.scopes.includes(scope))
  if (!ticket || !client || !isStanding)
    throw new Problem('invalid_request', 'This question has expired. Have the device show a new code.')
  const decision = formField(request, 'decision')
  if (decision !== 'allow' && decision !== 'deny')
    throw new Problem('invalid_request', 'decision: must be "allow" or "deny".')
  await answerDevice(ctx, session, ticket.code, decision === 'allow')
  const [title, words] =
    decision === 'allow'
      ? ['Your device is connected', html`<p><b>${client.name}</b> has access now. Go on at your device.</p>`]
      : ['Nothing was connected', html`<p><b>${client.name}</b> has no access by this code.</p>`]
  showPage(response, 200, title, words)
}
