import { jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { scopes } from '../core/scopes.ts'
import { isSame } from '../core/timing-safe.ts'

/** What the consent page asks, carried by its form: no row is needed, and any process can take the answer. */
const ConsentTicket = z.object({
  client: z.string(),
  redirect: z.string(),
  scopes: z.array(z.enum(scopes)),
  challenge: z.string(),
  jkt: z.string().optional(),
  state: z.string().optional(),
  /** SHA-256 of the secret of the session that is asked. */
  session: z.string(),
})
export type ConsentTicket = z.output<typeof ConsentTicket>

const ALGORITHM = 'HS256'
const TYPE = 'authz+jwt'
const LIFE_S = 600

/** Signs what a session is asked. The ticket is valid for ten minutes and in that session only. */
export async function signTicket(
  ctx: Context,
  secret: string,
  ticket: Omit<ConsentTicket, 'session'>,
): Promise<string> {
  const [key] = ctx.keyring.keysFor('consent-ticket')
  const issuedAt = Math.floor(ctx.now().getTime() / 1000)
  return new SignJWT({ ...ticket, session: sessionOf(secret) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setIssuer(ctx.publicUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_S)
    .sign(key)
}

/** What a session was asked; undefined for a ticket that is forged, expired, or of another session. */
export async function openTicket(ctx: Context, secret: string, signed: string): Promise<ConsentTicket | undefined> {
  for (const key of ctx.keyring.keysFor('consent-ticket')) {
    const ticket = await verifyTicket(ctx, key, signed)
    if (ticket) return isSame(Buffer.from(ticket.session), Buffer.from(sessionOf(secret))) ? ticket : undefined
  }
  return undefined
}

async function verifyTicket(ctx: Context, key: Buffer, signed: string): Promise<ConsentTicket | undefined> {
  const pinned = { algorithms: [ALGORITHM], typ: TYPE, issuer: ctx.publicUrl, currentDate: ctx.now() }
  const verified = await jwtVerify(signed, key, { ...pinned, requiredClaims: ['exp'] }).catch(() => undefined)
  return verified && ConsentTicket.safeParse(verified.payload).data
}

const sessionOf = (secret: string) => sha256(secret).toString('base64url')
