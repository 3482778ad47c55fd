import { Router } from 'express'
import type { Context } from '../../domain/core/context.ts'
import { scopes } from '../../domain/core/scopes.ts'
import { grantEndpoints } from '../../domain/oauth/grants-table.ts'
import { grantTypes } from '../../shared/grants.ts'

/** The documents by which clients find us (RFC 8414, RFC 9728). All addresses come from the configuration. */
export const metadataPages = ({ publicUrl }: Context) => ({
  '/.well-known/oauth-authorization-server': serve(authorizationServer(publicUrl)),
  '/.well-known/oauth-protected-resource': serve(protectedResource(publicUrl)),
})

/** Clients that read this get errors as RFC 6749 has them; the documented paths without the query have our envelope. */
const endpoint = (publicUrl: string, path: string) => `${publicUrl}${path}?error_format=rfc6749`

function authorizationServer(publicUrl: string) {
  /** M01 in docs/oauth-rules.md names exactly these; `private_key_jwt` works, too, for clients that registered keys. */
  const methods = ['client_secret_basic', 'client_secret_post', 'none']
  return {
    issuer: publicUrl,
    ...Object.fromEntries(Object.entries(grantEndpoints).map(([name, path]) => [name, publicUrl + path])),
    token_endpoint: endpoint(publicUrl, '/oauth/token'),
    revocation_endpoint: endpoint(publicUrl, '/oauth/revoke'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    scopes_supported: scopes,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs/`,
  }
}

function protectedResource(publicUrl: string) {
  return {
    resource: publicUrl,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
  }
}

function serve(document: object): Router {
  const json = JSON.stringify(document)
  return Router().get('/', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').type('json').send(json)
  })
}
