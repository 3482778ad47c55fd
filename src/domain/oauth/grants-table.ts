import { DEVICE_CODE_GRANT, type GrantType } from '../../shared/grants.ts'
import { clientParameters } from './client/presented-credentials.ts'
import type { Grant } from './grant.ts'
import { authorizationCodeGrant } from './grant-authorization-code.ts'
import { clientCredentialsGrant } from './grant-client-credentials.ts'
import { deviceCodeGrant } from './grant-device-code.ts'
import { refreshTokenGrant } from './grant-refresh-token.ts'
import { examplesOf, type Parameter, secretsOf } from './parameters.ts'

/**
 * Every grant of the token endpoint; the compiler asks for one of each type that an application can register for. From
 * this table follow the dispatch, the fields of the token request in `/openapi.json`, what is refused in an address, and
 * the addresses in the metadata; a test holds that the log shows no secret parameter.
 */
export const grantsByType = {
  authorization_code: authorizationCodeGrant,
  refresh_token: refreshTokenGrant,
  client_credentials: clientCredentialsGrant,
  [DEVICE_CODE_GRANT]: deviceCodeGrant,
} satisfies { [Type in GrantType]: Grant<Type, Record<string, Parameter>> }

const all: readonly Grant<GrantType, Record<string, Parameter>>[] = Object.values(grantsByType)

const specified = all.filter(({ isExtension }) => !isExtension)

/** The grants of the specification. */
export const specifiedGrantTypes = specified.map(({ grantType }) => grantType)

type GrantParameter = { [Type in GrantType]: keyof (typeof grantsByType)[Type]['parameters'] }[GrantType]

/** The parameters of all grants, in the order of the table. */
export const grantParameters = Object.fromEntries(
  all.flatMap(({ parameters }) => Object.entries<Parameter>(parameters)),
) as Record<GrantParameter, Parameter>

/** A token request of each grant of the specification, of a client that authenticates in the body. */
export const exampleRequests: Readonly<Record<string, Record<string, string>>> = Object.fromEntries(
  specified.map(({ grantType, parameters }) => [
    grantType,
    { grant_type: grantType, ...examplesOf(clientParameters), ...examplesOf(parameters) },
  ]),
)

/** Parameters of any OAuth endpoint that are secrets. `token` is the one that is revoked. */
export const secretParameters: readonly string[] = [
  ...secretsOf(clientParameters),
  ...secretsOf(grantParameters),
  'token',
]

/** Where the grants begin, for the metadata. */
export const grantEndpoints: Readonly<Record<string, `/${string}`>> = Object.assign(
  {},
  ...all.map(({ endpoints }) => endpoints),
)
