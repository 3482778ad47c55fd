import type { Reader } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { rateLimits, refuseExceeded } from '../core/rate-limits.ts'
import { noteCredential } from '../core/request-record.ts'
import { type Access, admit, bearerOf, tooManyRequests } from './admission.ts'
import { authenticateOverlay } from './authenticate-overlay.ts'
import { isWellFormed } from './token-format.ts'

type AdmittedReader = {
  principal: Reader | undefined
  /** As if the key had come in the header. */
  reader: Caller
}

/**
 * Admits a reader of the feed: an overlay key, which may stand in the address as the only credential that may, or whoever has
 * what the operation asks for. Throws `invalid_request` for two credentials, and what `admit` throws.
 */
export async function admitReader(
  ctx: Context,
  access: Access | undefined,
  caller: Caller,
  key: unknown,
): Promise<AdmittedReader> {
  if (access === undefined) throw new Error('The feed was declared without access')
  const reader = key === undefined ? caller : { ...caller, authorization: authorizationOf(caller, key) }
  const overlayKey = overlayKeyOf(reader)
  const principal = await (overlayKey === undefined
    ? admit(ctx, access, reader)
    : admitOverlay(ctx, reader, overlayKey))
  return { principal, reader }
}

function authorizationOf({ authorization }: Caller, key: unknown): string {
  if (typeof key !== 'string') throw new Problem('invalid_request', 'key: is given twice.')
  if (authorization !== undefined)
    throw new Problem('invalid_request', 'key: is one credential, and the header another.')
  if (isWellFormed('overlay', key)) return `Bearer ${key}`
  throw new Problem('invalid_token', 'key: is no overlay key, or an incomplete one.')
}

function overlayKeyOf({ authorization }: Caller): string | undefined {
  if (authorization === undefined) return undefined
  const { scheme, token } = bearerOf(authorization)
  return scheme.toLowerCase() === 'bearer' && isWellFormed('overlay', token) ? token : undefined
}

async function admitOverlay(ctx: Context, caller: Caller, key: string): Promise<Reader> {
  const principal = await authenticateOverlay(ctx, key)
  const rate = await ctx.counters.take(rateLimits.credential, key)
  noteCredential(caller, { clientId: null, rate })
  refuseExceeded(rate, tooManyRequests)
  return principal
}
