import { apiScopeDescriptions } from '../../shared/scope-descriptions.ts'

/** How callers say who they are. */
export function securitySchemes(publicUrl: string) {
  const tokenUrl = `${publicUrl}/oauth/token`
  const scopes = apiScopeDescriptions
  return {
    oauth2: {
      type: 'oauth2',
      description: 'An access token, as `Authorization: Bearer <ACCESS_TOKEN>`.',
      flows: {
        authorizationCode: { authorizationUrl: `${publicUrl}/oauth/authorize`, tokenUrl, refreshUrl: tokenUrl, scopes },
        clientCredentials: { tokenUrl, scopes },
      },
    },
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key of an application, as `Authorization: Bearer <API_KEY>`. It needs the same scope.',
    },
    overlayKey: {
      type: 'apiKey',
      in: 'query',
      name: 'key',
      description:
        'An overlay key of a channel, which reads the feed of that channel and nothing else. As a bearer it works as well.',
    },
    clientBasic: {
      type: 'http',
      scheme: 'basic',
      description: 'An application with its secret, in place of `client_id` and `client_secret` in the body.',
    },
    cronSecret: {
      type: 'http',
      scheme: 'bearer',
      description: 'The CRON_SECRET of the service. Without one, only the machine itself is served.',
    },
  }
}
