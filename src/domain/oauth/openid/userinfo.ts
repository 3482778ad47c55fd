import { statement } from '../../../db/statement.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import type { UserInfo } from '../resources.ts'

type Row = {
  username: string
  email: string | null
  email_verified: boolean
  image_url: string | null
  updated_s: number
}

const userById = statement<[id: string], Row>(`
  select username, email, email_verified_at is not null as email_verified, image_url, floor(extract(epoch from updated_at))::float8 as updated_s
    from users where id = $1 and disabled_at is null`)

/**
 * Who the user of a token is, as far as its scopes tell (OpenID Connect Core, sections 5.3 and 5.4). What there is nothing of is
 * left out. Throws `user_not_found` when the account was closed meanwhile.
 */
export async function getUserInfo(ctx: UserContext): Promise<UserInfo> {
  const { userId, scopes } = ctx.principal
  const [user] = await userById(ctx.db, userId)
  if (!user) throw new Problem('user_not_found', 'The user of this token no longer exists.')
  return {
    sub: userId,
    ...(scopes.includes('profile') && profileOf(ctx, user)),
    ...(scopes.includes('email') && user.email !== null && { email: user.email, email_verified: user.email_verified }),
  }
}

/** The profile is the channel: the public side of a user. */
const profileOf = ({ publicUrl }: UserContext, { username, image_url, updated_s }: Row) => ({
  preferred_username: username,
  profile: `${publicUrl}/v1/channels/${username}`,
  ...(image_url !== null && { picture: image_url }),
  updated_at: updated_s,
})
