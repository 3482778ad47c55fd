import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  type VerifiedRegistrationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'
import { eq } from 'drizzle-orm'
import { violatedConstraint } from '../../db/db-error.ts'
import { passkeys } from '../../db/schema/index.ts'
import { lockOwnAccount } from '../access/account-locks.ts'
import type { Caller } from '../core/caller.ts'
import type { UserContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { addFactor } from './add-factor.ts'
import { challengeFor, isChallenge } from './passkey-challenge.ts'
import { requireRelyingParty } from './relying-party.ts'
import type { NewFactor } from './resources.ts'

const PASSKEYS_MAX = 20

/** What `navigator.credentials.create` takes. We ask for no extensions. */
export type PasskeyCreation = Omit<PublicKeyCredentialCreationOptionsJSON, 'extensions'>

type SessionContext = UserContext & { caller: Caller }

/** What the browser needs to make a passkey for the caller: one that is found without a name, and verifies its user. */
export async function startPasskey(ctx: SessionContext): Promise<PasskeyCreation> {
  const { rpID } = requireRelyingParty(ctx)
  const { userId, username } = ctx.principal
  const known = await ctx.db
    .select({ id: passkeys.credentialId, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
  return generateRegistrationOptions({
    rpName: 'Developer API',
    rpID,
    userName: username,
    userDisplayName: username,
    userID: new TextEncoder().encode(userId),
    challenge: await challengeFor(ctx, 'registration', ctx.caller.session ?? ''),
    excludeCredentials: known.map(({ id, transports }) => ({ id: id.toString('base64url'), transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/**
 * Takes a passkey that the caller's browser has made in this session. Throws `invalid_request` when it is not what was asked
 * for, `limit_reached`.
 */
export async function finishPasskey(
  ctx: SessionContext,
  { name, response }: { name: string; response: RegistrationResponseJSON },
): Promise<NewFactor> {
  const { credential, credentialBackedUp } = await verified(ctx, response)
  return transact(ctx, async (tx) => {
    const { userId } = tx.principal
    await lockOwnAccount(tx)
    await requireRoom(tx, userId)
    return addFactor(tx, 'passkey', async () => {
      const createdAt = tx.now()
      const row = {
        id: newId('passkey', createdAt),
        userId,
        credentialId: Buffer.from(credential.id, 'base64url'),
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: (credential.transports ?? []).slice(0, 10),
        isBackedUp: credentialBackedUp,
        name,
        createdAt,
      }
      await refuseKnown(tx.db.insert(passkeys).values(row))
    })
  })
}

async function requireRoom({ db }: InTransaction, userId: string): Promise<void> {
  const count = await db.$count(passkeys, eq(passkeys.userId, userId))
  if (count < PASSKEYS_MAX) return
  throw new Problem('limit_reached', `You have ${count} passkeys, and may have ${PASSKEYS_MAX}: remove one first.`)
}

type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

async function verified(ctx: SessionContext, response: RegistrationResponseJSON): Promise<Registration> {
  const { rpID, origin } = requireRelyingParty(ctx)
  const secret = ctx.caller.session ?? ''
  try {
    refuseCertificates(response)
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      expectedChallenge: (challenge) => isChallenge(ctx, { use: 'registration', secret, challenge }),
    })
    if (registrationInfo) return registrationInfo
    throw new Error('it was not verified')
  } catch (cause) {
    throw new Problem('invalid_request', 'response: is not a passkey that was made here just now. Try again.', {
      cause,
    })
  }
}

/**
 * We ask for no attestation, so what has certificates was not made by what we asked for: whoever checks them would fetch lists
 * from addresses that they name.
 */
function refuseCertificates({ response: { attestationObject } }: RegistrationResponseJSON): void {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format = decoded.get('fmt')
  if (format === 'none') return
  const isSelfMade = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined
  if (!isSelfMade) throw new Error(`attestation of the format ${format}`)
}

async function refuseKnown(write: PromiseLike<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (violatedConstraint(error) !== 'passkeys_credential_unique') throw error
    throw new Problem('invalid_request', 'response: this passkey is known already.', { cause: error })
  }
}
