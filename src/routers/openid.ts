import { publishedKeys } from '../domain/oauth/openid/signing-keys.ts'
import { getUserInfo } from '../domain/oauth/openid/userinfo.ts'
import { KeySet, UserInfo } from '../domain/oauth/resources.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

/** OpenID Connect Core, section 5.3.1, has it take both methods. */
const userInfo = (method: 'GET' | 'POST', id: string) =>
  operation(`${method} /oauth/userinfo`, {
    id,
    tag: 'OAuth',
    summary: 'See who has logged in',
    description: 'What the scopes `openid`, `profile` and `email` of a token tell of its user.',
    access: 'openid',
    by: 'user',
    envelope: 'none',
    isExtension: true,
    problems: ['user_not_found'],
  }).output(UserInfo)

export const openidRouter = router({
  userInfo: userInfo('GET', 'getUserInfo').query(({ ctx }) => getUserInfo(ctx)),
  userInfoByPost: userInfo('POST', 'getUserInfoByPost').mutation(({ ctx }) => getUserInfo(ctx)),

  keys: operation('GET /oauth/jwks', {
    id: 'getSigningKeys',
    tag: 'OAuth',
    summary: 'Get the keys that sign ID tokens',
    access: 'public',
    envelope: 'none',
    isExtension: true,
  })
    .output(KeySet)
    .query(({ ctx }) => publishedKeys(ctx)),
})
