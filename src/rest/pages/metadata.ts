import { Router } from 'express'
import { signingAlgorithms } from '../../domain/access/signing-algorithms.ts'
import type { Context } from '../../domain/core/context.ts'
import { apiScopes, scopes } from '../../domain/core/scopes.ts'
import { clientEndpoints } from '../../domain/oauth/client/client-endpoints.ts'
import { grantEndpoints } from '../../domain/oauth/grants-table.ts'
import { ID_TOKEN_ALGORITHM } from '../../domain/oauth/openid/signing-keys.ts'
import { grantTypes } from '../../shared/grants.ts'

/** The documents by which clients find us (RFC 8414, RFC 9728, OpenID Connect Discovery). All addresses come from the configuration. */
export const metadataPages = ({ publicUrl, clientDocuments }: Context) => ({
  '/.well-known/oauth-authorization-server': serve(authorizationServer(publicUrl, clientDocuments !== undefined)),
  '/.well-known/openid-configuration': serve(authorizationServer(publicUrl, clientDocuments !== undefined)),
  '/.well-known/oauth-protected-resource': serve(protectedResource(publicUrl, '')),
  '/.well-known/oauth-protected-resource/mcp': serve(protectedResource(publicUrl, '/mcp')),
})

/** Clients that read this get errors as RFC 6749 has them; the documented paths without the query have our envelope. */
const withStandardErrors = (url: string) => (url.endsWith('/authorize') ? url : `${url}?error_format=rfc6749`)

/** Both documents are the same: a client of either reads what it knows. */
function authorizationServer(publicUrl: string, readsDocuments: boolean) {
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']
  const address = (path: string) => withStandardErrors(publicUrl + path)
  const { device_authorization: _, ...described } = clientEndpoints // authenticates as the token endpoint does (RFC 8628, 3.1)
  const ofClients = Object.entries(described).flatMap(([name, path]) => [
    [`${name}_endpoint`, address(path)],
    [`${name}_endpoint_auth_methods_supported`, methods],
    [`${name}_endpoint_auth_signing_alg_values_supported`, signingAlgorithms],
  ])
  return {
    issuer: publicUrl,
    ...Object.fromEntries(Object.entries(grantEndpoints).map(([name, path]) => [name, address(path)])),
    ...Object.fromEntries(ofClients),
    userinfo_endpoint: `${publicUrl}/oauth/userinfo`,
    jwks_uri: `${publicUrl}/oauth/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: signingAlgorithms,
    scopes_supported: scopes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ID_TOKEN_ALGORITHM],
    claims_supported,
    prompt_values_supported: ['none', 'login', 'consent'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    client_id_metadata_document_supported: readsDocuments,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs/`,
  }
}

const claims_supported = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'amr', 'at_hash'],
  ...['preferred_username', 'picture', 'profile', 'updated_at', 'email', 'email_verified'],
]

/** A resource of ours, by its path. */
function protectedResource(publicUrl: string, path: string) {
  return {
    resource: publicUrl + path,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: apiScopes,
    dpop_signing_alg_values_supported: signingAlgorithms,
  }
}

function serve(document: object): Router {
  const json = JSON.stringify(document)
  return Router().get('/', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('json').send(json)
  })
}
