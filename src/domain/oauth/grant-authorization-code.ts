import { statement } from '../../db/statement.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import type { CalledContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import type { TokenResponse } from '../core/resources.ts'
import type { Scope } from '../core/scopes.ts'
import { isSame } from '../core/timing-safe.ts'
import type { InTransaction } from '../core/transaction.ts'
import type { Client } from './client/authenticate-client.ts'
import { defineGrant } from './grant.ts'
import { closedAccount, otherKey, refusedGrant, usedBefore } from './grant-refusals.ts'
import { loginOf, redeemOnce, requireClient, requireParameter, revokeReused, startGrantOf } from './grant-steps.ts'
import { narrowResource, readResource, resourceParameter } from './resource-parameter.ts'

type Code = {
  hash: Buffer
  client_id: string
  user_id: string
  redirect_uri: string
  scopes: Scope[]
  code_challenge: string
  dpop_jkt: string | null
  nonce: string | null
  authenticated_at: string | null
  amr: string[] | null
  resource: ResourcePath | null
  grant_id: string | null
  is_expired: boolean
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
    code: {
      description: 'With `authorization_code`: the code of the redirect.',
      example: 'lsac_0000000000000000000000000000000000000000000AAAAAA',
      isSecret: true,
    },
    code_verifier: {
      description: 'With `authorization_code`: what the code challenge was made from, 43 to 128 characters.',
      example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', // RFC 7636, appendix B
      isSecret: true,
    },
    redirect_uri: {
      description: 'With `authorization_code`: where the code was sent; may be left out.',
      example: 'http://127.0.0.1:4000/callback',
    },
    resource: resourceParameter,
  },
  endpoints: { authorization_endpoint: '/oauth/authorize' },

  async exchange(ctx, presented, parameters) {
    const client = await requireClient(ctx, presented, 'authorization_code')
    const code = requireParameter('code', parameters.code)
    const verifier = requireParameter('code_verifier', parameters.code_verifier)
    if (!VERIFIER.test(verifier)) {
      throw new Problem('invalid_request', 'code_verifier: must be 43 to 128 of A-Z, a-z, 0-9, "-", ".", "_", "~".')
    }
    const resource = readResource(ctx, parameters.resource)
    const proof = { verifier, redirectUri: parameters.redirect_uri, resource }
    const redeemable = { client, kind: 'code', parameter: 'code', value: code, findUser, unknown: UNPROVEN } as const
    return redeemOnce(ctx, redeemable, (tx, hash, jkt) => redeemCode(tx, client, hash, { ...proof, jkt }))
  },
})

/** Alike for a wrong verifier and for a code that is not this client's, so that nobody can try verifiers or codes. */
const UNPROVEN = 'is unknown, of another application, or does not belong to this code_verifier.'

const findUser = statement<[hash: Buffer, clientId: string], { user_id: string }>(
  'select user_id from authorization_codes where hash = $1 and client_id = $2',
)

type Proof = {
  verifier: string
  redirectUri: string | undefined
  resource: ResourcePath | undefined
  jkt: string | null
}

async function redeemCode(
  tx: InTransaction<CalledContext>,
  client: Client,
  hash: Buffer,
  proof: Proof,
): Promise<TokenResponse | Problem> {
  const [code] = await lockCode(tx.db, hash, client.id)
  if (!code) return refusedGrant(`code: ${UNPROVEN}`)
  if (code.is_expired) return refusedGrant('code: has expired. It can be exchanged for 60 seconds.')
  const tokenResource = narrowResource(code.resource, proof.resource)
  if (tokenResource instanceof Problem) return tokenResource
  const fault = faultOf(code, proof)
  if (fault) return burnCode(tx, code, fault)
  if (code.is_consumed) return revokeGrantOf(tx, code)
  if (!code.is_user_active) return closedAccount('code')
  const { user_id: userId, scopes, nonce, resource } = code
  const { jkt } = proof
  const consent = { userId, scopes, nonce, resource, tokenResource, login: loginOf(code), codeHash: hash, jkt }
  return startGrantOf(tx, client, consent)
}

/**
 * Parallel exchanges of one code wait for each other here. A code of another client is not found. User and client are
 * locked before the code, in the order in which a deletion locks them; the user, so that a change of the password waits
 * and then finds the new grant.
 */
const lockCode = statement<[hash: Buffer, clientId: string], Code>(`
  select a.hash, a.client_id, a.user_id, a.redirect_uri, a.scopes, a.code_challenge, a.dpop_jkt, a.grant_id,
         a.nonce, a.authenticated_at, a.amr, a.resource,
         a.expires_at <= statement_timestamp() as is_expired, a.consumed_at is not null as is_consumed, u.disabled_at is null as is_user_active
    from authorization_codes a
    join clients c on c.id = a.client_id
    join users u on u.id = a.user_id
   where a.hash = $1 and a.client_id = $2
     for share of u
     for key share of c
     for update of a`)

/** What does not fit the code; that it was used is said first, whatever else is wrong. */
function faultOf(code: Code, { verifier, redirectUri = code.redirect_uri, jkt }: Proof) {
  const isRightAddress = redirectUri === code.redirect_uri
  const isRight = isRightAddress && isForKey(code, jkt) && isProvenBy(code, verifier)
  if (isRight) return undefined
  if (code.is_consumed) return usedBefore('code')
  if (!isRightAddress) return refusedGrant('redirect_uri: is not the address that the code was sent to.')
  return isForKey(code, jkt) ? refusedGrant(`code: ${UNPROVEN}`) : otherKey('code')
}

function isProvenBy({ code_challenge }: Code, verifier: string): boolean {
  return isSame(Buffer.from(sha256(verifier).toString('base64url')), Buffer.from(code_challenge))
}

/** RFC 9449, section 10: the authorization request may have named the key that must exchange the code. */
const isForKey = ({ dpop_jkt }: Code, jkt: string | null) => dpop_jkt === null || dpop_jkt === jkt

const consumeCode = statement<[hash: Buffer], never>(
  'update authorization_codes set consumed_at = statement_timestamp() where hash = $1 and consumed_at is null',
)

/** Consumes the code but revokes nothing: someone who has merely seen a code must not be able to log its user out. */
async function burnCode(tx: InTransaction, { hash }: Code, fault: Problem): Promise<Problem> {
  await consumeCode(tx.db, hash)
  return fault
}

/** RFC 6749, section 4.1.2: a second valid use means that the code leaked, so the grant of the first one is revoked. */
async function revokeGrantOf(tx: InTransaction<CalledContext>, { grant_id: grantId, client_id: clientId }: Code) {
  return grantId === null ? usedBefore('code') : revokeReused(tx, { grantId, clientId, reason: 'code_reuse' })
}
