import { statement } from '../../db/statement.ts'
import { bindingOf } from '../access/dpop-proof.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { Scope } from '../core/scopes.ts'
import { isSame } from '../core/timing-safe.ts'
import type { InTransaction } from '../core/transaction.ts'
import type { Client } from './authenticate-client.ts'
import { defineGrant } from './grant.ts'
import { redeemOnce, requireClient, requireParameter, revokeReused, startGrantOf } from './grant-steps.ts'

type Code = {
  hash: Buffer
  client_id: string
  user_id: string
  redirect_uri: string
  scopes: Scope[]
  code_challenge: string
  dpop_jkt: string | null
  grant_id: string | null
  is_consumed: boolean
  is_user_active: boolean
}

/** RFC 7636, section 4.1. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/**
 * Turns an authorization code into a grant and its tokens, once (RFC 6749, section 4.1.3; RFC 7636). Throws
 * `invalid_request` before the code is looked at, `invalid_grant` for a code that is unknown, expired, used or not proven.
 */
export const authorizationCodeGrant = defineGrant({
  grantType: 'authorization_code',
  parameters: {
    code: { description: 'With `authorization_code`: the code of the redirect.', isSecret: true },
    code_verifier: {
      description: 'With `authorization_code`: what the code challenge was made from.',
      isSecret: true,
    },
    redirect_uri: { description: 'With `authorization_code`: where the code was sent; may be left out.' },
  },
  endpoints: { authorization_endpoint: '/oauth/authorize' },

  async exchange(ctx, presented, parameters) {
    const client = await requireClient(ctx, presented, 'authorization_code')
    const code = requireParameter('code', parameters.code)
    const verifier = requireParameter('code_verifier', parameters.code_verifier)
    if (!VERIFIER.test(verifier)) {
      throw new Problem('invalid_request', 'code_verifier: must be 43 to 128 of A-Z, a-z, 0-9, "-", ".", "_", "~".')
    }
    const refusal = 'code: is unknown, expired, used, or was issued for other parameters.'
    const proof = { verifier, redirectUri: parameters.redirect_uri }
    return redeemOnce(ctx, { kind: 'code', value: code, refusal }, (tx, hash) => redeemCode(tx, client, hash, proof))
  },
})

type Proof = { verifier: string; redirectUri: string | undefined }

async function redeemCode(
  tx: InTransaction<CalledContext>,
  client: Client,
  hash: Buffer,
  proof: Proof,
): Promise<TokenResponse | undefined> {
  const [code] = await lockCode(tx.db, hash, client.id)
  if (!code) return undefined
  const jkt = await bindingOf(tx, client)
  if (!isProvenBy(code, proof) || !isForKey(code, jkt)) return burnCode(tx, code)
  if (code.is_consumed) return revokeGrantOf(tx, code)
  if (!code.is_user_active) return undefined
  return startGrantOf(tx, client, { userId: code.user_id, scopes: code.scopes, codeHash: hash, jkt })
}

/**
 * Parallel exchanges of one code wait for each other here. A code of another client is not found. User and client are
 * locked before the code, in the order in which a deletion locks them; the user, so that a change of the password waits
 * and then finds the new grant.
 */
const lockCode = statement<[hash: Buffer, clientId: string], Code>(`
  select a.hash, a.client_id, a.user_id, a.redirect_uri, a.scopes, a.code_challenge, a.dpop_jkt, a.grant_id,
         a.consumed_at is not null as is_consumed, u.disabled_at is null as is_user_active
    from authorization_codes a
    join clients c on c.id = a.client_id
    join users u on u.id = a.user_id
   where a.hash = $1 and a.client_id = $2 and a.expires_at > statement_timestamp()
     for share of u
     for key share of c
     for update of a`)

function isProvenBy(code: Code, { verifier, redirectUri = code.redirect_uri }: Proof): boolean {
  const challenge = Buffer.from(sha256(verifier).toString('base64url'))
  return isSame(challenge, Buffer.from(code.code_challenge)) && redirectUri === code.redirect_uri
}

/** RFC 9449, section 10: the authorization request may have named the key that must exchange the code. */
const isForKey = ({ dpop_jkt }: Code, jkt: string | null) => dpop_jkt === null || dpop_jkt === jkt

const consumeCode = statement<[hash: Buffer], never>(
  'update authorization_codes set consumed_at = statement_timestamp() where hash = $1 and consumed_at is null',
)

/** Consumes the code but revokes nothing: someone who has merely seen a code must not be able to log its user out. */
async function burnCode(tx: InTransaction, { hash }: Code): Promise<undefined> {
  await consumeCode(tx.db, hash)
}

/** RFC 6749, section 4.1.2: a second valid use means that the code leaked, so the grant of the first one is revoked. */
async function revokeGrantOf(tx: InTransaction<CalledContext>, { grant_id: grantId, client_id: clientId }: Code) {
  return grantId === null ? undefined : revokeReused(tx, { grantId, clientId, reason: 'code_reuse' })
}
