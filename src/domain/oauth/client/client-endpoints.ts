/** The endpoints at which clients authenticate, by what the metadata calls them (RFC 8414, section 2; RFC 8628, section 4). */
export const clientEndpoints = {
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  device_authorization: '/oauth/device_authorization',
} as const
