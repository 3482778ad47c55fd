import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'

const insertUse = statement<[hash: Buffer, livesS: number], { hash: Buffer }>(`
  insert into used_assertions (hash, expires_at)
  values ($1, statement_timestamp() + $2::float8 * interval '1 second')
  on conflict do nothing returning hash`)

/** Made within the last minute; the clock of whoever made it may be ahead a little. */
const insertUseNow = statement<[hash: Buffer, issuedAtS: number], { hash: Buffer }>(`
  insert into used_assertions (hash, expires_at)
  select $1, to_timestamp($2::float8) + interval '1 minute'
   where to_timestamp($2::float8) between statement_timestamp() - interval '1 minute'
                                      and statement_timestamp() + interval '10 seconds'
  on conflict do nothing returning hash`)

type Use = {
  kind: 'client assertion' | 'dpop proof'
  /** Whoever signed: two signers may choose the same identifier. */
  signer: string
  jti: string
}

/**
 * Whether this is the first use of something signed, in any process; it could be used again for `livesS`, were it not
 * remembered. The row is deleted a day later.
 */
export async function isFirstUse({ db }: Context, use: Use, livesS: number): Promise<boolean> {
  const [first] = await insertUse(db, hashOf(use), livesS)
  return first !== undefined
}

/** The same for what has no end of its own: it must be from just now, by the clock of the database. */
export async function isFirstUseNow({ db }: Context, use: Use, issuedAtS: number): Promise<boolean> {
  const [first] = await insertUseNow(db, hashOf(use), issuedAtS)
  return first !== undefined
}

const hashOf = ({ kind, signer, jti }: Use) => sha256(JSON.stringify([kind, signer, jti]))
