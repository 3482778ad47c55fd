import type { Response } from 'express'
import type { Scope } from '../../../domain/core/scopes.ts'
import type { AuthorizingClient } from '../../../domain/oauth/authorization-endpoint.ts'
import type { ResourcePath } from '../../../shared/resource-paths.ts'
import { scopeDescriptions } from '../../../shared/scope-descriptions.ts'
import { type Html, html } from '../html.ts'
import { sessionToken } from './csrf.ts'
import { hiddenFields, showPage } from './page.ts'
import type { OpenSession, PageContext } from './page-context.ts'

type Question = {
  action: '/oauth/authorize' | '/device'
  client: AuthorizingClient
  session: OpenSession
  scopes: readonly Scope[]
  resource?: ResourcePath | undefined
  /** What is asked, signed for this session. */
  ticket: string
  before?: Html
  after: Html
  /** Where whoever logs in instead goes on. */
  next: string
}

/** Asks whether an application may have what it asks for. Allow and Deny are of equal weight. */
export function showQuestion(ctx: PageContext, response: Response, question: Question): void {
  const { action, client, session, scopes, resource, ticket, before, after, next } = question
  const csrf = sessionToken(ctx, session.secret)
  const wishes = scopes.map((scope) => html`<li>${scopeDescriptions[scope]}</li>`)
  const place = resource ? html`<p>It can do so at <b>${ctx.publicUrl}${resource}</b> alone.</p>` : undefined
  showPage(
    response,
    200,
    `${client.name} wants access to your account`,
    html`${before}<p>You are logged in as <b>${session.username}</b>. ${describeDeveloper(client)}</p>
<p>If you allow it, ${client.name} can:</p>
<ul>${wishes}</ul>
${place}<form method="post" action="${action}">${hiddenFields({ ticket, csrf })}
<p class="choices"><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p>
</form>
${after}
<form method="post" action="/logout">${hiddenFields({ csrf, next })}
<p class="quiet">Not ${session.username}? <button class="link">Use another account</button></p>
</form>`,
  )
}

function describeDeveloper({ developer, websiteUrl, host }: AuthorizingClient): Html {
  if (host !== undefined)
    return html`The application is <b>not registered here</b>. It describes itself at <b>${host}</b>, and nobody has looked at that.`
  const website = websiteUrl === null ? undefined : html` Its website is <b>${websiteUrl}</b>.`
  const maker = developer === null ? 'The operator of this site' : developer
  return html`The application was registered by <b>${maker}</b>.${website}`
}
