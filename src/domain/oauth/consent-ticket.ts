import { jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import { resourcePaths } from '../../shared/resource-paths.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { scopes } from '../core/scopes.ts'
import { isSame } from '../core/timing-safe.ts'

const wishes = { client: z.string(), scopes: z.array(z.enum(scopes)), resource: z.enum(resourcePaths).optional() }

/** What the consent page asks, carried by its form: no row is needed, and any process can take the answer. */
const kinds = {
  authorization: {
    type: 'authz+jwt',
    schema: z.object({
      ...wishes,
      redirect: z.string(),
      challenge: z.string(),
      jkt: z.string().optional(),
      nonce: z.string().optional(),
      state: z.string().optional(),
    }),
  },
  device: { type: 'device+jwt', schema: z.object({ ...wishes, code: z.string() }) },
} as const

type Kind = keyof typeof kinds
type Asked<Of extends Kind> = z.output<(typeof kinds)[Of]['schema']>

/** SHA-256 of the secret of the session that is asked. */
const Binding = z.object({ session: z.string() })

const ALGORITHM = 'HS256'
const LIFE_S = 600

/** Signs what a session is asked. The ticket is valid for ten minutes and in that session only. */
export async function signTicket<Of extends Kind>(
  ctx: Context,
  kind: Of,
  secret: string,
  asked: Asked<Of>,
): Promise<string> {
  const [key] = ctx.keyring.keysFor('consent-ticket')
  const issuedAt = Math.floor(ctx.now().getTime() / 1000)
  return new SignJWT({ ...asked, session: sessionOf(secret) })
    .setProtectedHeader({ alg: ALGORITHM, typ: kinds[kind].type })
    .setIssuer(ctx.publicUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_S)
    .sign(key)
}

/** What a session was asked; undefined for a ticket that is forged, expired, of another session, or about something else. */
export async function openTicket<Of extends Kind>(
  ctx: Context,
  kind: Of,
  secret: string,
  signed: string,
): Promise<Asked<Of> | undefined> {
  const { type: typ, schema } = kinds[kind]
  for (const key of ctx.keyring.keysFor('consent-ticket')) {
    const pinned = { algorithms: [ALGORITHM], typ, issuer: ctx.publicUrl, currentDate: ctx.now() }
    const verified = await jwtVerify(signed, key, { ...pinned, requiredClaims: ['exp'] }).catch(() => undefined)
    const binding = verified && Binding.safeParse(verified.payload).data
    if (!binding) continue
    const isTheirs = isSame(Buffer.from(binding.session), Buffer.from(sessionOf(secret)))
    return isTheirs ? (schema.safeParse(verified.payload).data as Asked<Of> | undefined) : undefined
  }
  return undefined
}

const sessionOf = (secret: string) => sha256(secret).toString('base64url')
