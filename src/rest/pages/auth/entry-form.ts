import { type Request, type Response, Router } from 'express'
import type { Entry } from '../../../domain/accounts/enter.ts'
import { rememberDevice } from '../../../domain/accounts/known-devices.ts'
import type { Context } from '../../../domain/core/context.ts'
import { Problem } from '../../../domain/core/problem.ts'
import type { Html } from '../html.ts'
import { clearCookie, keepCookie, setCookie } from './cookies.ts'
import { guardForm, requireVisitorToken, visitorFor, visitorToken } from './csrf.ts'
import { formField } from './form-fields.ts'
import { hiddenFields, redirectWithoutReferrer, showPage } from './page.ts'
import { type CallerOf, type PageContext, pageContext } from './page-context.ts'
import { PASSKEY_SCRIPT } from './passkey-form.ts'
import { returnPath } from './return-path.ts'

/** What a form shows again when it was not accepted, and where the browser goes once it is. */
export type ShownForm<Name extends string> = { next: string; values?: Record<Name, string>; problem?: Problem }

/** A form that ends with a session, maybe after a second step: to log in, to sign up. */
export type EntryForm<Name extends string> = {
  fields: readonly Name[]
  /** Resolves to a new session, or to what waits for the second factor. What it throws as a `Problem` is shown with the form. */
  enter: (ctx: PageContext, values: Record<Name, string>, request: Request) => Promise<Entry>
  show: (ctx: PageContext, request: Request, response: Response, form: ShownForm<Name>) => void | Promise<void>
}

/** Takes the form: the browser gets the cookie of its session and goes on. */
export function entryPages<Name extends string>(
  context: Context,
  callerOf: CallerOf,
  { fields, enter, show }: EntryForm<Name>,
): Router {
  const { publicUrl } = context
  return Router().post('/', guardForm(publicUrl), async (request: Request, response: Response) => {
    const ctx = pageContext(context, callerOf, request)
    requireVisitorToken(ctx, request)
    const next = formField(request, 'next')
    const values = Object.fromEntries(fields.map((name) => [name, formField(request, name)])) as Record<Name, string>
    try {
      const entry = await enter(ctx, values, request)
      return await goOn(ctx, response, entry, next)
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      return show(ctx, request, response, { next, values, problem })
    }
  })
}

async function goOn(ctx: PageContext, response: Response, entry: Entry, next: string): Promise<void> {
  const { publicUrl, caller } = ctx
  if ('session' in entry) {
    const devices = await rememberDevice(ctx, entry.session, caller.devices)
    if (devices !== undefined) keepCookie(response, 'devices', devices, publicUrl)
    setCookie(response, 'sid', entry.session, publicUrl)
    clearCookie(response, 'login', publicUrl)
    redirectWithoutReferrer(response, returnPath(next, publicUrl))
  } else {
    setCookie(response, 'login', entry.pending, publicUrl)
    redirectWithoutReferrer(response, `/login/code?next=${encodeURIComponent(next)}`)
  }
}

type EntryPage = {
  title: string
  next: string
  problem: Problem | undefined
  /** What a passkey is asked for this visitor, where one will do. */
  passkey?: (visitor: string) => Promise<object | undefined>
  form: (hidden: Html[], passkey: object | undefined) => Html
}

/** Shows the form, with the status of what was wrong if anything was. */
export async function showEntryPage(
  ctx: PageContext,
  request: Request,
  response: Response,
  { title, next, problem, passkey, form }: EntryPage,
): Promise<void> {
  const { retryAfterS } = problem?.details ?? {}
  if (retryAfterS !== undefined) response.set('Retry-After', String(retryAfterS))
  const visitor = visitorFor(ctx, request, response)
  const hidden = hiddenFields({ csrf: visitorToken(ctx, visitor), next })
  const asked = await passkey?.(visitor)
  const script = asked && PASSKEY_SCRIPT
  showPage(response, problem?.status ?? 200, title, form(hidden, asked), script)
}
