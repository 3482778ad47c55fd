import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'

const insertUse = statement<[hash: Buffer, livesS: number], { hash: Buffer }>(`
  insert into used_assertions (hash, expires_at)
  values ($1, statement_timestamp() + $2::float8 * interval '1 second')
  on conflict do nothing returning hash`)

/** Accepts what was made within the last minute; its maker's clock may be up to ten seconds ahead. */
const insertUseNow = statement<[hash: Buffer, issuedAtS: number], { hash: Buffer }>(`
  insert into used_assertions (hash, expires_at)
  select $1, to_timestamp($2::float8) + interval '1 minute'
   where to_timestamp($2::float8) between statement_timestamp() - interval '1 minute'
                                      and statement_timestamp() + interval '10 seconds'
  on conflict do nothing returning hash`)

type Use = {
  kind: 'client assertion' | 'dpop proof' | 'passkey challenge'
  /** Who signed, because two signers may choose the same identifier. */
  signer: string
  jti: string
}

/**
 * Whether a signed assertion or proof is used for the first time, in any process. It stays valid for `livesS`, so its
 * use is remembered for that long; the row is deleted a day later.
 */
export async function isFirstUse({ db }: Context, use: Use, livesS: number): Promise<boolean> {
  const [first] = await insertUse(db, hashOf(use), livesS)
  return first !== undefined
}

/**
 * The same for a proof, which has no expiry of its own: it must have been made just now, by the clock of the database.
 */
export async function isFirstUseNow({ db }: Context, use: Use, issuedAtS: number): Promise<boolean> {
  const [first] = await insertUseNow(db, hashOf(use), issuedAtS)
  return first !== undefined
}

const hashOf = ({ kind, signer, jti }: Use) => sha256(JSON.stringify([kind, signer, jti]))
