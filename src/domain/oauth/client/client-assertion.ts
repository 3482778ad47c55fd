import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTVerifyResult, jwtVerify } from 'jose'
import * as z from 'zod'
import { statement } from '../../../db/statement.ts'
import { isFirstUse } from '../../access/replay-protection.ts'
import { signingAlgorithms } from '../../access/signing-algorithms.ts'
import type { Context } from '../../core/context.ts'
import { clientEndpoints } from './client-endpoints.ts'

const LIFE_S = 60
/** How far a client's clock may differ from ours. */
const SKEW_S = 10
/** Values of `typ` that are accepted, if there is one. A token that was signed for another purpose is no assertion. */
const TYPES = ['application/jwt', 'application/client-authentication+jwt']

const Claims = z.object({ aud: z.union([z.string(), z.array(z.string())]), exp: z.number(), jti: z.string().min(1) })

/** The client that an assertion names, not verified yet; undefined when it names none. */
export function subjectOf(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion) as { sub?: unknown } // whatever was sent: nothing is verified yet
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}

type FoundKeys = { jwks: JSONWebKeySet; now_s: number }

/** The time is the database's, so that all processes agree on what has expired. */
const findKeys = statement<[clientId: string], FoundKeys>(`
  select jwks, extract(epoch from statement_timestamp())::float8 as now_s from clients
   where id = $1 and auth_method = 'private_key_jwt' and disabled_at is null`)

/**
 * Whether an assertion authenticates a client (RFC 7523, section 3): signed by a registered key, with the client as `iss`
 * and `sub`, our issuer or an endpoint as `aud`, an `exp` within a minute, and a `jti` that has not been used before.
 */
export async function isAssertedBy(ctx: Context, clientId: string, assertion: string): Promise<boolean> {
  const [found] = await findKeys(ctx.db, clientId)
  const verified = found && (await verify(ctx, { ...found, clientId, assertion }))
  const claims = verified && Claims.safeParse(verified.payload).data
  if (!claims || !isForUs(ctx, claims.aud) || !isOfType(verified)) return false
  const livesS = claims.exp - found.now_s + SKEW_S
  if (livesS > LIFE_S + 2 * SKEW_S) return false
  return isFirstUse(ctx, { kind: 'client assertion', signer: clientId, jti: claims.jti }, livesS)
}

type Assertion = FoundKeys & { clientId: string; assertion: string }

async function verify({ publicUrl }: Context, { jwks, now_s, clientId, assertion }: Assertion) {
  const pinned = { algorithms: [...signingAlgorithms], issuer: clientId, subject: clientId }
  const clock = { currentDate: new Date(now_s * 1000), clockTolerance: SKEW_S, requiredClaims: ['exp', 'jti'] }
  const audience = audiencesOf(publicUrl)
  return jwtVerify(assertion, createLocalJWKSet(jwks), { ...pinned, ...clock, audience }).catch(() => undefined)
}

/** RFC 7523bis asks for the issuer. Older clients send the endpoint, with the query of the metadata or without it. */
const audiencesOf = (publicUrl: string) => [
  publicUrl,
  ...Object.values(clientEndpoints)
    .flatMap((path) => [path, `${path}?error_format=rfc6749`])
    .map((p) => publicUrl + p),
]

/** Another audience beside us is refused: it would hold an assertion that it could replay here. */
function isForUs({ publicUrl }: Context, aud: string | string[]): boolean {
  const ours = audiencesOf(publicUrl)
  return [aud].flat().every((one) => ours.includes(one))
}

function isOfType({ protectedHeader: { typ } }: JWTVerifyResult): boolean {
  if (typ === undefined) return true
  const type = typ.toLowerCase()
  return TYPES.includes(type.includes('/') ? type : `application/${type}`)
}
