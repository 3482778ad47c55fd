import { securitySchemes } from '../openapi/security-schemes.ts'

/** How readers of the feed say who they are: as in the OpenAPI document, in the words of this one. */
export function asyncSecuritySchemes(publicUrl: string) {
  const { oauth2, apiKey, overlayKey } = securitySchemes(publicUrl)
  const { authorizationCode, clientCredentials } = oauth2.flows
  return {
    oauth2: {
      type: oauth2.type,
      description: oauth2.description,
      flows: {
        authorizationCode: renamed(authorizationCode),
        clientCredentials: renamed(clientCredentials),
      },
    },
    apiKey,
    overlayKey: { ...overlayKey, type: 'httpApiKey' },
  }
}

const renamed = <Flow extends { scopes: object }>({ scopes, ...flow }: Flow) => ({ ...flow, availableScopes: scopes })
