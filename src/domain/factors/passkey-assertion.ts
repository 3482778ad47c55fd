import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { passkeys } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { type ChallengeUse, challengeFor, isChallenge } from './passkey-challenge.ts'
import { relyingParty } from './relying-party.ts'

const TEXT_MAX = 10_000
const part = () => z.string().max(TEXT_MAX)

/** What a browser answers for a passkey (WebAuthn level 3). */
export const PasskeyAssertion = z.object({
  id: part(),
  rawId: part(),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: part(),
    authenticatorData: part(),
    signature: part(),
    userHandle: part().optional(),
  }),
})
export type PasskeyAssertion = z.output<typeof PasskeyAssertion>

/** What `navigator.credentials.get` takes. We ask for no extensions. */
type PasskeyRequest = Omit<PublicKeyCredentialRequestOptionsJSON, 'extensions'>

/**
 * What the browser needs to ask for a passkey, of `userId` if it is told; undefined where there can be none. The answer is good
 * for this use and for the bearer of `secret` alone.
 */
export async function passkeyRequest(
  ctx: Context,
  use: ChallengeUse,
  { secret, userId }: { secret: string; userId?: string },
): Promise<PasskeyRequest | undefined> {
  const party = relyingParty(ctx)
  if (!party) return undefined
  const theirs = userId === undefined ? [] : await credentialsOf(ctx, userId)
  if (userId !== undefined && theirs.length === 0) return undefined
  return generateAuthenticationOptions({
    rpID: party.rpID,
    userVerification: 'required',
    challenge: await challengeFor(ctx, use, secret),
    allowCredentials: theirs,
  })
}

async function credentialsOf({ db }: Context, userId: string) {
  const { credentialId, transports } = passkeys
  const found = await db.select({ credentialId, transports }).from(passkeys).where(eq(passkeys.userId, userId))
  return found.map((one) => ({ id: one.credentialId.toString('base64url'), transports: one.transports }))
}

/** A passkey that has signed: whose it is, and how often it says that it has. */
export type ProvedPasskey = { id: string; userId: string; username: string; counter: number }

type Found = {
  id: string
  user_id: string
  username: string
  public_key: Buffer
  counter: string
}

const findByCredential = statement<[credentialId: Buffer], Found>(`
  select p.id, p.user_id, u.username, p.public_key, p.counter
    from passkeys p join users u on u.id = p.user_id
   where p.credential_id = $1 and u.disabled_at is null`)

/**
 * Whose passkey has signed what `passkeyRequest` gave for this use to this bearer, with its user verified; undefined for
 * anything else. It counts only once `consumePasskey` has taken its counter.
 */
export async function provePasskey(
  ctx: Context,
  assertion: PasskeyAssertion,
  { use, secret }: { use: ChallengeUse; secret: string },
): Promise<ProvedPasskey | undefined> {
  const party = relyingParty(ctx)
  const [found] = party ? await findByCredential(ctx.db, Buffer.from(assertion.id, 'base64url')) : []
  if (!party || !found) return undefined
  const credential = { id: assertion.id, publicKey: new Uint8Array(found.public_key), counter: Number(found.counter) }
  const proof = await verifyAuthenticationResponse({
    response: { ...assertion, clientExtensionResults: {} } as AuthenticationResponseJSON,
    expectedOrigin: party.origin,
    expectedRPID: party.rpID,
    requireUserVerification: true,
    credential,
    expectedChallenge: (challenge) => isChallenge(ctx, { use, secret, challenge }),
  }).catch(() => undefined) // it throws for whatever is not as it should be
  if (!proof?.verified) return undefined
  const { id, user_id: userId, username } = found
  return { id, userId, username, counter: proof.authenticationInfo.newCounter }
}

const countUse = statement<[id: string, counter: number], { id: string }>(`
  update passkeys set counter = $2, last_used_at = statement_timestamp()
   where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`)

/** Takes the counter of a passkey that has signed; false when another use of it was as far already, as of a copy. */
export async function consumePasskey({ db }: InTransaction, { id, counter }: ProvedPasskey): Promise<boolean> {
  return (await countUse(db, id, counter)).length === 1
}
