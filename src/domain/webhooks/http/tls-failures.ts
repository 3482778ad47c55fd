const unknownAuthority =
  'The certificate does not lead to an authority that is trusted in public. Where it should, the server leaves out an intermediate certificate.'
const oldProtocol = 'The server speaks no version of TLS from 1.2 on.'
const noTls = 'What answers at the port does not speak TLS.'
const rejected = 'The server ended the handshake: it knows no cipher of ours, or asks for the certificate of a client.'
const weak = 'The certificate or its key is too weak.'

/**
 * What is wrong with the certificate or the encryption of a receiver, by the codes of node:tls and OpenSSL. Those of Node's list of
 * X.509 errors that leave nothing to say beside their name have no sentence.
 */
const sentences: Record<string, string | undefined> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate leads to a self-signed one that is not trusted in public.',
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  CERT_HAS_EXPIRED: 'The certificate, or one that it leads to, has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  CERT_REVOKED: 'The certificate has been revoked.',
  INVALID_PURPOSE: 'The certificate is not one for servers.',
  EE_KEY_TOO_SMALL: weak,
  CA_KEY_TOO_SMALL: weak,
  CA_MD_TOO_WEAK: weak,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldProtocol,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldProtocol,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_HTTP_REQUEST: noTls,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: rejected,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': rejected,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'The server asks for the certificate of a client, and we have none.',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'The server does not know the name of the URL.',
  ERR_SSL_DH_KEY_TOO_SMALL: weak,
}

/** Further X.509 errors of Node. */
const others = new Set([
  ...['CERT_SIGNATURE_FAILURE', 'CERT_CHAIN_TOO_LONG', 'CERT_REJECTED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED'],
  ...['HOSTNAME_MISMATCH', 'ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CERT_NOT_AFTER_FIELD'],
  ...['UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'UNABLE_TO_GET_CRL'],
  ...['CRL_HAS_EXPIRED', 'CRL_NOT_YET_VALID', 'CRL_SIGNATURE_FAILURE', 'UNABLE_TO_DECRYPT_CRL_SIGNATURE'],
  ...['ERROR_IN_CRL_LAST_UPDATE_FIELD', 'ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'EPROTO'],
])

/** Whether an error code is about a certificate or the encryption. */
export const isTlsCode = (code: string): boolean =>
  code in sentences || others.has(code) || /^ERR_(TLS|SSL|OSSL)/.test(code)

/** One sentence that says what is wrong. */
export function tlsSentence(code: string, error: Error): string {
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return sentences[code] ?? `The encryption failed with ${code}.`
  const { host, cert } = error as Error & { host?: string; cert?: { subjectaltname?: string } }
  return `The certificate is not for ${host}, but for ${cert?.subjectaltname?.replaceAll('DNS:', '') ?? 'no name'}.`
}
