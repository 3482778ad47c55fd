import { statement } from '../db/statement.ts'
import type { UserContext } from './core/context.ts'
import { Problem } from './core/problem.ts'
import type { CurrentUser } from './core/resources.ts'

const userById = statement<[id: string], CurrentUser>(`
  select id, username, coalesce(email, '') as email, bio, image_url from users where id = $1 and disabled_at is null`)

/** The user whom the credential stands for. Throws `user_not_found` when the account was deleted or closed meanwhile. */
export async function getCurrentUser({ db, principal }: UserContext): Promise<CurrentUser> {
  const [user] = await userById(db, principal.userId)
  if (!user) throw new Problem('user_not_found', 'The user of this token no longer exists.')
  return user
}
