import * as z from 'zod'
import { TokenResponse } from '../domain/core/resources.ts'
import { exampleRequests, grantParameters } from '../domain/oauth/grants-table.ts'
import type { Parameter } from '../domain/oauth/parameters.ts'
import { clientParameters } from '../domain/oauth/presented-credentials.ts'
import { revokeToken } from '../domain/oauth/revocation-endpoint.ts'
import { issueToken } from '../domain/oauth/token-endpoint.ts'
import { grantTypes } from '../shared/grants.ts'
import { text } from './fields.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

const BODY_BYTES_MAX = 16 * 1024

/** May be empty, which OAuth reads as omitted. */
const parameter = ({ description, example, isExtension }: Parameter) =>
  z
    .string()
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .meta({ description, ...(example && { example }), ...(isExtension && { 'x-undocumented': true }) })

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

export const oauthRouter = router({
  token: operation('POST /oauth/token', {
    id: 'createToken',
    tag: 'OAuth',
    summary: 'Obtain tokens',
    description:
      '`grant_type` says for what: a code of the authorization endpoint, a refresh token, or the credentials of the application alone.',
    access: 'public',
    envelope: 'none',
    bodyBytesMax: BODY_BYTES_MAX,
    bodyExamples: exampleRequests,
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
        grant_type: parameter({ description: `${oneOf(grantTypes)}.` }).meta({ enum: [...grantTypes] }),
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
})
