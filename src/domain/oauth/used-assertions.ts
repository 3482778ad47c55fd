import { statement } from '../../db/statement.ts'
import type { Context } from '../context.ts'
import { sha256 } from '../digest.ts'

const insertUse = statement<[hash: Buffer, livesS: number], { hash: Buffer }>(`
  insert into used_assertions (hash, expires_at)
  values ($1, statement_timestamp() + $2::float8 * interval '1 second')
  on conflict do nothing returning hash`)

type Use = {
  kind: 'client assertion' | 'dpop proof'
  /** Whoever signed: two signers may choose the same identifier. */
  signer: string
  jti: string
  /** For how long it could be used again, were it not remembered. */
  livesS: number
}

/** Whether this is the first use of something signed, in any process. The row is deleted a day after it could matter. */
export async function isFirstUse({ db }: Context, { kind, signer, jti, livesS }: Use): Promise<boolean> {
  const [first] = await insertUse(db, sha256(JSON.stringify([kind, signer, jti])), livesS)
  return first !== undefined
}
