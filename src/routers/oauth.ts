import * as z from 'zod'
import { TokenResponse } from '../domain/core/resources.ts'
import { clientParameters } from '../domain/oauth/client/presented-credentials.ts'
import { authorizeDevice } from '../domain/oauth/device/device-authorization.ts'
import { exampleRequests, grantParameters, specifiedGrantTypes } from '../domain/oauth/grants-table.ts'
import { introspectToken } from '../domain/oauth/introspection-endpoint.ts'
import { publishedKeys } from '../domain/oauth/openid/signing-keys.ts'
import { getUserInfo } from '../domain/oauth/openid/userinfo.ts'
import type { Parameter } from '../domain/oauth/parameters.ts'
import { resourceParameter } from '../domain/oauth/resource-parameter.ts'
import { DeviceAuthorization, Introspection, KeySet, UserInfo } from '../domain/oauth/resources.ts'
import { revokeToken } from '../domain/oauth/revocation-endpoint.ts'
import { scopeParameter } from '../domain/oauth/scope-parameter.ts'
import { issueToken } from '../domain/oauth/token-endpoint.ts'
import { grantTypes } from '../shared/grants.ts'
import { text } from './fields.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

const BODY_BYTES_MAX = 16 * 1024

/** May be empty, which OAuth reads as omitted. */
const parameter = ({ description, example, values, isExtension }: Parameter) =>
  z
    .string()
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .meta({
      description,
      ...(example && { example }),
      ...(values && { enum: [...values] }),
      ...(isExtension && { 'x-extension': true }),
    })

function fieldsOf<Name extends string>(parameters: Record<Name, Parameter>) {
  const fields = Object.entries<Parameter>(parameters).map(([name, one]) => [name, parameter(one).optional()] as const)
  return Object.fromEntries(fields) as Record<Name, z.ZodOptional<z.ZodString>>
}

const client = fieldsOf(clientParameters)

/** Such as `a`, `b` or `c`. */
function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return [quoted.slice(0, -1).join(', '), quoted.at(-1)].join(' or ')
}

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

export const oauthRouter = router({
  token: operation('POST /oauth/token', {
    id: 'createToken',
    tag: 'OAuth',
    summary: 'Obtain tokens',
    description:
      '`grant_type` says for what: a code of the authorization endpoint, a refresh token, or the credentials of the application alone.',
    access: 'public',
    envelope: 'none',
    isExtended: true,
    bodyBytesMax: BODY_BYTES_MAX,
    bodyExamples: exampleRequests,
    problems: [
      'invalid_request',
      'invalid_grant',
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
      'invalid_target',
      'invalid_scope',
      'unauthorized_client',
      'unsupported_grant_type',
      'invalid_client',
      'rate_limited',
    ],
  })
    .input(
      z.object({
        grant_type: parameter({ description: `${oneOf(specifiedGrantTypes)}.` }).meta({
          enum: [...specifiedGrantTypes],
          'x-extension-enum': [...grantTypes],
        }),
        ...client,
        ...fieldsOf(grantParameters),
      }),
    )
    .output(TokenResponse)
    .mutation(({ ctx, input }) => issueToken(ctx, input)),

  revoke: operation('POST /oauth/revoke', {
    id: 'revokeToken',
    tag: 'OAuth',
    summary: 'Revoke a token',
    description: 'A refresh token takes its whole grant along. An unknown token is no error.',
    access: 'public',
    envelope: 'none',
    bodyBytesMax: BODY_BYTES_MAX,
    problems: ['invalid_request', 'invalid_client', 'rate_limited'],
  })
    .input(
      z.object({
        token: text().meta({
          description: 'An access token or a refresh token.',
          example: 'lsat_0000000000000000000000000000000000000000000AAAAAA',
        }),
        ...client,
      }),
    )
    .output(z.object({}))
    .mutation(({ ctx, input }) => revokeToken(ctx, input)),

  introspect: operation('POST /oauth/introspect', {
    id: 'introspectToken',
    tag: 'OAuth',
    summary: 'Look at a token',
    description: 'What a token of one’s own can do, and until when (RFC 7662). Any other is `{"active": false}`.',
    access: 'public',
    envelope: 'none',
    isExtension: true,
    bodyBytesMax: BODY_BYTES_MAX,
    problems: ['invalid_request', 'invalid_client', 'rate_limited'],
  })
    .input(
      z.object({
        token: text().meta({
          description: 'An access token or a refresh token.',
          example: 'lsat_0000000000000000000000000000000000000000000AAAAAA',
        }),
        ...client,
      }),
    )
    .output(Introspection)
    .mutation(({ ctx, input }) => introspectToken(ctx, input)),

  deviceAuthorization: operation('POST /oauth/device_authorization', {
    id: 'authorizeDevice',
    tag: 'OAuth',
    summary: 'Begin on a device',
    description: 'For devices on which nobody can log in (RFC 8628): their user enters `user_code` elsewhere.',
    access: 'public',
    envelope: 'none',
    isExtension: true,
    bodyBytesMax: BODY_BYTES_MAX,
    problems: [
      'invalid_request',
      'invalid_target',
      'invalid_scope',
      'unauthorized_client',
      'invalid_client',
      'rate_limited',
    ],
  })
    .input(z.object({ ...client, ...fieldsOf({ scope: scopeParameter, resource: resourceParameter }) }))
    .output(DeviceAuthorization)
    .mutation(({ ctx, input }) => authorizeDevice(ctx, input)),

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
