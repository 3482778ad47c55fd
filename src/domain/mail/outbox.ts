import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { knownKinds } from './kinds.ts'

/** Longer than any attempt takes. When a worker dies, its mails can be claimed again after this. */
const LEASE_S = 120
/** The pause before each further attempt. */
const PAUSES_S = [60, 300, 1_800, 7_200, 28_800] as const
export const TRIES_MAX = PAUSES_S.length + 1
/** Kept for a week, for the counts and for whoever asks what became of a mail; `expiry.ts` adds a day. */
const KEPT_DAYS = 6

/** `tries`: with the attempt that this claim is for. */
export type ClaimedMail = {
  id: string
  kind: string
  address: string
  ciphertext: Buffer
  key_id: string
  lease: string
  tries: number
  is_useless: boolean
}

const claim = statement<[kinds: string[], limit: number], ClaimedMail>(`
  with mine as materialized (
    select id from mails where due_at <= statement_timestamp() and kind = any($1::text[])
     order by due_at limit $2::int for update skip locked)
  update mails set lease = gen_random_uuid(), tries = tries + 1,
         due_at = statement_timestamp() + interval '${LEASE_S} s'
   where id = any(array(select id from mine))
  returning id, kind, address, ciphertext, key_id, lease, tries,
            coalesce(useless_at <= statement_timestamp(), false) as is_useless`)

const settle = statement<[id: string, lease: string, outcome: string], object>(`
  update mails set outcome = $3, due_at = null, lease = null, ciphertext = null, key_id = null,
         expires_at = statement_timestamp() + interval '${KEPT_DAYS} days'
   where id = $1 and lease = $2::uuid returning 1`)

const postpone = statement<[id: string, lease: string, pauseS: number], object>(`
  update mails set lease = null, due_at = statement_timestamp() + $3::int * interval '1 second'
   where id = $1 and lease = $2::uuid returning 1`)

/** Leases due mails to this caller, oldest first, at most `limit`. Safe to run concurrently. */
export const claimMails = ({ db }: Context, limit: number): Promise<ClaimedMail[]> => claim(db, knownKinds, limit)

/** Notes what became of a mail and forgets what it says, unless somebody else has its lease by now. */
export async function settleMail({ db }: Context, { id, lease }: ClaimedMail, outcome: 'sent' | 'given_up') {
  await settle(db, id, lease, outcome)
}

/** Lets a mail be tried again after a while; false when it has been tried often enough. */
export async function postponeMail({ db }: Context, { id, lease, tries }: ClaimedMail): Promise<boolean> {
  const pauseS = PAUSES_S[tries - 1]
  if (pauseS === undefined) return false
  await postpone(db, id, lease, pauseS)
  return true
}
