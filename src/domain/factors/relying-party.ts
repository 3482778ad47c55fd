import { isIP } from 'node:net'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'

/** This service as passkeys know it (WebAuthn level 3). */
export type RelyingParty = { rpID: string; origin: string }

/**
 * What passkeys of this service are bound to; undefined where there can be none: browsers make them for names alone, not for
 * addresses, and over https or on this very machine.
 */
export function relyingParty({ publicUrl }: Pick<Context, 'publicUrl'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl)
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isAddress || !isSecure ? undefined : { rpID: hostname, origin }
}

/** Throws `forbidden` where there can be no passkeys. */
export function requireRelyingParty(ctx: Pick<Context, 'publicUrl'>): RelyingParty {
  const party = relyingParty(ctx)
  if (party) return party
  const why = 'they need a name, such as http://localhost:3000 or an https address'
  throw new Problem('forbidden', `Passkeys do not work at ${ctx.publicUrl} (PUBLIC_URL): ${why}.`)
}
