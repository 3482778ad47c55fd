import { instantText, statement } from '../../db/statement.ts'
import type { UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import type { Account } from './resources.ts'

const accountById = statement<[id: string], Account>(`
  select id, username, coalesce(email, '') as email, email_verified_at is not null as email_verified, bio, image_url,
         ${instantText('created_at')} as created_at,
         (select address from mail_links l
           where l.user_id = users.id and purpose = 'verify' and expires_at > statement_timestamp()
             and lower(address) is distinct from lower(email) limit 1) as pending_email
    from users where id = $1`)

/** The caller's account. Throws `user_not_found` when it was deleted meanwhile. */
export async function getAccount({ db, principal }: UserContext): Promise<Account> {
  const [account] = await accountById(db, principal.userId)
  if (!account) throw new Problem('user_not_found', 'This account no longer exists.')
  return account
}
