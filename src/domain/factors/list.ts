import { instantText, statement } from '../../db/statement.ts'
import type { UserContext } from '../core/context.ts'
import type { Factors } from './resources.ts'

/** All in one round trip: there are few of each. */
const findFactors = statement<[userId: string], { factors: Factors }>(`
  select json_build_object(
    'totp', (select json_build_object('created_at', ${instantText('created_at')}, 'last_used_at', ${instantText('last_used_at')})
               from totp_factors where user_id = $1),
    'passkeys', (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'is_backed_up', is_backed_up,
                   'created_at', ${instantText('created_at')}, 'last_used_at', ${instantText('last_used_at')}) order by id), '[]')
                   from passkeys where user_id = $1),
    'recovery_codes', (select json_build_object('left', count(*) filter (where used_at is null),
                         'created_at', ${instantText('max(created_at)')}, 'last_used_at', ${instantText('max(used_at)')})
                         from recovery_codes where user_id = $1 having count(*) > 0)) as factors`)

/** What protects the caller's account beside its password, and when it was used. */
export async function listFactors({ db, principal }: UserContext): Promise<Factors> {
  const [found] = await findFactors(db, principal.userId)
  return found?.factors ?? { totp: null, passkeys: [], recovery_codes: null }
}
