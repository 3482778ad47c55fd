import * as z from 'zod'
import { TokenResponse } from '../domain/core/resources.ts'
import { revokeToken } from '../domain/oauth/revocation-endpoint.ts'
import { issueToken } from '../domain/oauth/token-endpoint.ts'
import { text } from './fields.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

const BODY_BYTES_MAX = 16 * 1024

/** May be empty, which OAuth reads as omitted. */
const parameter = (description: string) =>
  z
    .string()
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .meta({ description })

/** Accepted, but not shown: the specification fixes the fields of these bodies. See `undocumented` in the document. */
const undocumented = () => parameter('RFC 7521, section 4.2.').meta({ 'x-undocumented': true }).optional()

const client = {
  client_id: parameter('Unless the client authenticates by HTTP Basic.').optional(),
  client_secret: parameter('Of a confidential client that does not authenticate by HTTP Basic.').optional(),
  client_assertion_type: undocumented(),
  client_assertion: undocumented(),
}

export const oauthRouter = router({
  token: operation('POST /oauth/token', {
    tag: 'OAuth',
    summary: 'Obtain tokens',
    access: 'public',
    envelope: 'none',
    bodyBytesMax: BODY_BYTES_MAX,
    problems: [
      'invalid_request',
      'invalid_grant',
      'invalid_scope',
      'unauthorized_client',
      'unsupported_grant_type',
      'invalid_client',
      'rate_limited',
    ],
  })
    .input(
      z.object({
        grant_type: parameter('`authorization_code`, `refresh_token` or `client_credentials`.'),
        ...client,
        code: parameter('With `authorization_code`: the code of the redirect.').optional(),
        code_verifier: parameter('With `authorization_code`: what the code challenge was made from.').optional(),
        redirect_uri: parameter('With `authorization_code`: where the code was sent; may be left out.').optional(),
        refresh_token: parameter('With `refresh_token`: the newest one of the grant.').optional(),
        scope: parameter('Scopes with spaces between; all that is possible when left out.').optional(),
      }),
    )
    .output(TokenResponse)
    .mutation(({ ctx, input }) => issueToken(ctx, input)),

  revoke: operation('POST /oauth/revoke', {
    tag: 'OAuth',
    summary: 'Revoke a token',
    description: 'A refresh token takes its whole grant along. An unknown token is no error.',
    access: 'public',
    envelope: 'none',
    bodyBytesMax: BODY_BYTES_MAX,
    problems: ['invalid_request', 'invalid_client', 'rate_limited'],
  })
    .input(z.object({ token: text(), ...client }))
    .output(z.object({}))
    .mutation(({ ctx, input }) => revokeToken(ctx, input)),
})
