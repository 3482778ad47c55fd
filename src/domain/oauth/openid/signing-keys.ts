import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import type { Keyring } from '../../core/keyring.ts'
import { transact } from '../../core/transaction.ts'

export const ID_TOKEN_ALGORITHM = 'ES256'

/** For so long what a key has signed can still be verified, though another one signs by now. */
const PUBLISHED_AFTER = '1 day'

type Stored = { id: string; private_ciphertext: Buffer; sealing_key_id: string; now_s: number }

const findCurrent = statement<[], Stored>(`
  select id, private_ciphertext, sealing_key_id, floor(extract(epoch from statement_timestamp()))::float8 as now_s
    from signing_keys where retired_at is null`)

const findPublished = statement<[], { id: string; public_jwk: JWK }>(`
  select id, public_jwk from signing_keys
   where retired_at is null or retired_at > statement_timestamp() - interval '${PUBLISHED_AFTER}'
   order by retired_at nulls first`)

/** The key that signs now. The time is the database's, in whole seconds. */
export type SigningKey = { kid: string; key: CryptoKey; nowS: number }

/** The key that signs now, which is made when there is none. Throws when `SECRET_KEYS` cannot open it. */
export async function currentSigningKey(ctx: Context): Promise<SigningKey> {
  const stored = await currentOrNew(ctx)
  return { kid: stored.id, key: await privateKeyOf(ctx, stored), nowS: stored.now_s }
}

/** The public keys by which ID tokens can be verified (RFC 7517), the current one first. */
export async function publishedKeys({ db }: Context): Promise<{ keys: JWK[] }> {
  const published = await findPublished(db)
  return {
    keys: published.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id, alg: ID_TOKEN_ALGORITHM, use: 'sig' })),
  }
}

/** Makes sure before anybody is served that there is a key which can be opened, and has a new one sign otherwise. */
export async function prepareSigningKey(ctx: Context): Promise<void> {
  const stored = await currentOrNew(ctx)
  try {
    await privateKeyOf(ctx, stored)
  } catch (error) {
    ctx.log.warn({ err: error, kid: stored.id }, 'The key that signs ID tokens cannot be opened: another one is made')
    await rotateSigningKey(ctx)
  }
}

/** Has a new key sign from now on. The public one of the old stays published for a day. Returns the `kid` of the new one. */
export async function rotateSigningKey(ctx: Context): Promise<string> {
  const made = await makeKey()
  return transact(ctx, async (tx) => {
    await lockKeys(tx.db)
    await retireCurrent(tx.db)
    await insertKey(tx, made)
    return made.id
  })
}

/** Seals the key that signs under the first of `SECRET_KEYS`, so that older ones can be removed. */
export async function reSealSigningKey(ctx: Context): Promise<void> {
  const { keyring } = ctx
  const [stored] = await findCurrent(ctx.db)
  if (!stored || stored.sealing_key_id === keyring.currentId) return
  const sealed = keyring.seal('signing-key', stored.id, openStored(ctx, stored))
  await reSeal(ctx.db, stored.id, sealed.ciphertext, sealed.keyId)
}

const reSeal = statement<[id: string, ciphertext: Buffer, keyId: string], never>(
  'update signing_keys set private_ciphertext = $2, sealing_key_id = $3 where id = $1',
)

async function currentOrNew(ctx: Context): Promise<Stored> {
  const [stored] = await findCurrent(ctx.db)
  if (stored) return stored
  await insertKey(ctx, await makeKey())
  const [made] = await findCurrent(ctx.db)
  if (!made) throw new Error('A signing key that was made is not there')
  return made
}

type Made = { id: string; publicJwk: JWK; privateJwk: JWK }

async function makeKey(): Promise<Made> {
  const { publicKey, privateKey } = await generateKeyPair(ID_TOKEN_ALGORITHM, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  return { id: await calculateJwkThumbprint(publicJwk), publicJwk, privateJwk: await exportJWK(privateKey) }
}

/** Of several processes that start on an empty database one key stays, which is the first. */
const insertIfNone = statement<
  [id: string, publicJwk: string, ciphertext: Buffer, sealingKeyId: string, createdAt: Date],
  never
>(`
  insert into signing_keys (id, public_jwk, private_ciphertext, sealing_key_id, created_at)
  values ($1, $2::jsonb, $3, $4, $5::timestamptz) on conflict do nothing`)

async function insertKey({ db, keyring, now }: Context, { id, publicJwk, privateJwk }: Made): Promise<void> {
  const { ciphertext, keyId } = keyring.seal('signing-key', id, JSON.stringify(privateJwk))
  await insertIfNone(db, id, JSON.stringify(publicJwk), ciphertext, keyId, now())
}

const lockKeys = statement<[], never>(`select pg_advisory_xact_lock(hashtextextended('signing keys', 0))`)

const retireCurrent = statement<[], never>(
  'update signing_keys set retired_at = statement_timestamp() where retired_at is null',
)

/** The last key that was opened, so that it is not decrypted for every token. */
const opened = new WeakMap<Keyring, { id: string; key: CryptoKey }>()

async function privateKeyOf(ctx: Context, stored: Stored): Promise<CryptoKey> {
  const known = opened.get(ctx.keyring)
  if (known?.id === stored.id) return known.key
  const key = (await importJWK(JSON.parse(openStored(ctx, stored)), ID_TOKEN_ALGORITHM)) as CryptoKey // of a private JWK
  opened.set(ctx.keyring, { id: stored.id, key })
  return key
}

const openStored = ({ keyring }: Context, { id, private_ciphertext: ciphertext, sealing_key_id: keyId }: Stored) =>
  keyring.open('signing-key', id, { ciphertext, keyId })
