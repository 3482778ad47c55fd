import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { findSession, type Session } from '../../../domain/access/sessions.ts'
import type { Caller, Context } from '../../../domain/core/context.ts'
import type { OneOrMore } from '../../../domain/core/keyring.ts'
import { Problem } from '../../../domain/core/problem.ts'
import { isSame } from '../../../domain/core/timing-safe.ts'
import { readCookie, setCookie } from './cookies.ts'

/** Tells what a door knows of a request. */
export type CallerOf = (request: IncomingMessage) => Caller

/** A page's context, with the session's secret: who uses it to act has come through `guardForm`. */
export const pageContext = (context: Context, callerOf: CallerOf, request: Request) => {
  const session = readCookie(request, 'sid', context.publicUrl)
  return { ...context, caller: { ...callerOf(request), session } }
}
export type PageContext = ReturnType<typeof pageContext>

/** A living session, with the secret that the browser showed. */
export type OpenSession = Session & { secret: string }

export async function currentSession(ctx: PageContext): Promise<OpenSession | undefined> {
  const { session: secret } = ctx.caller
  const session = secret === undefined ? undefined : await findSession(ctx, secret)
  return session && secret !== undefined ? { ...session, secret } : undefined
}

/** What stands before every form's handler: from our own page, small, urlencoded. The form's token is the third lock. */
export const guardForm = (publicUrl: string): RequestHandler[] => [
  refuseCrossSite(publicUrl),
  express.urlencoded({ extended: false, limit: '64kb' }),
]

/**
 * `no-referrer` makes browsers send `Origin: null` with these very forms, so null alone refuses nothing. A sandboxed frame
 * of another site sends null too, but `Sec-Fetch-Site: cross-site` with it.
 */
function refuseCrossSite(publicUrl: string): RequestHandler {
  const own = new URL(publicUrl).origin
  return ({ headers }, _response, next) => {
    const { origin = 'null', 'sec-fetch-site': site = 'none' } = headers
    const isOwn = (origin === 'null' || origin === own) && (site === 'same-origin' || site === 'none')
    next(isOwn ? undefined : new Problem('forbidden', 'This form was sent from another website.'))
  }
}

/** A field of the form as it came; empty when it is missing, came twice, or holds a NUL. */
export function formField(request: Request, name: string): string {
  const value: unknown = request.body?.[name]
  return typeof value === 'string' && !value.includes('\0') ? value : ''
}

/** The token of a form that is shown before there is a session: bound to a cookie that any visitor gets. */
export function visitorToken({ keyring, publicUrl }: Context, request: Request, response: Response): string {
  const known = readCookie(request, 'visitor', publicUrl)
  const visitor = known ?? randomBytes(16).toString('base64url')
  if (known === undefined) setCookie(response, 'visitor', visitor, publicUrl)
  return tokenOf(keyring.macs('form', `visitor ${visitor}`))
}

/** The token of a session's forms. */
export const sessionToken = ({ keyring }: Context, secret: string): string =>
  tokenOf(keyring.macs('form', `session ${secret}`))

/** Throws `forbidden` unless the form carries the token of the visitor's cookie. */
export function requireVisitorToken(ctx: Context, request: Request): void {
  const visitor = readCookie(request, 'visitor', ctx.publicUrl)
  requireToken(visitor === undefined ? [] : ctx.keyring.macs('form', `visitor ${visitor}`), request)
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
