import { randomBytes } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Context } from '../../../domain/core/context.ts'
import type { OneOrMore } from '../../../domain/core/keyring.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { isSame } from '../../../domain/core/timing-safe.ts'
import { readCookie, setCookie } from './cookies.ts'
import { formField } from './form-fields.ts'

/**
 * Comes before the handler of every form: it was sent from our own page. The handler then asks for the form's token.
 *
 * `no-referrer` makes browsers send `Origin: null` with these very forms, so null alone refuses nothing. A sandboxed frame
 * of another site sends null too, but `Sec-Fetch-Site: cross-site` with it.
 */
export function guardForm(publicUrl: string): RequestHandler {
  const own = new URL(publicUrl).origin
  return ({ headers }, _response, next) => {
    const { origin = 'null', 'sec-fetch-site': site = 'none' } = headers
    const isOwn = (origin === 'null' || origin === own) && (site === 'same-origin' || site === 'none')
    next(isOwn ? undefined : new Problem('forbidden', 'This form was sent from another website.'))
  }
}

/** A cookie that any visitor gets, to which forms are bound before there is a session; a new one where none came. */
export function visitorFor({ publicUrl }: Context, request: Request, response: Response): string {
  const known = readCookie(request, 'visitor', publicUrl)
  const visitor = known ?? randomBytes(16).toString('base64url')
  if (known === undefined) setCookie(response, 'visitor', visitor, publicUrl)
  return visitor
}

/** The visitor's cookie that came with a form whose token was right. */
export const visitorOf = (request: Request, { publicUrl }: Context): string =>
  readCookie(request, 'visitor', publicUrl) ?? ''

/** The token of a form that is shown before there is a session. */
export const visitorToken = ({ keyring }: Context, visitor: string): string =>
  tokenOf(keyring.macs('form', `visitor ${visitor}`))

/** The token of a session's forms. */
export const sessionToken = ({ keyring }: Context, secret: string): string =>
  tokenOf(keyring.macs('form', `session ${secret}`))

/** Throws `forbidden` unless the form carries the token of the visitor's cookie. */
export function requireVisitorToken(ctx: Context, request: Request): void {
  const visitor = readCookie(request, 'visitor', ctx.publicUrl)
  if (visitor === undefined) {
    const words = `No cookie came back with this form. Allow cookies, and open this site as ${ctx.publicUrl}.`
    throw new Problem('forbidden', words)
  }
  requireToken(ctx.keyring.macs('form', `visitor ${visitor}`), request)
}

/** Throws `forbidden` unless the form carries the token of the session whose secret this is. */
export function requireSessionToken(ctx: Context, secret: string, request: Request): void {
  requireToken(ctx.keyring.macs('form', `session ${secret}`), request)
}

function requireToken(macs: readonly Buffer[], request: Request): void {
  const given = Buffer.from(formField(request, 'csrf'), 'base64url')
  if (macs.some((mac) => isSame(mac, given))) return
  throw new Problem('forbidden', 'This form has expired. Go back, load the page again, and repeat.')
}

const tokenOf = ([current]: OneOrMore<Buffer>): string => current.toString('base64url')
