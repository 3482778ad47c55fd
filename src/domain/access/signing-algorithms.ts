/**
 * What a client may sign with (RFC 7518, RFC 8037): only asymmetric ones, because nobody but the client may hold its
 * key.
 */
export const signingAlgorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
] as const
