import type { ErrorClass } from '../queue/error-class.ts'

/** A failed attempt whose class is known where it fails. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure'
  readonly errorClass: ErrorClass

  constructor(errorClass: ErrorClass, message: string, options?: ErrorOptions) {
    super(message, options)
    this.errorClass = errorClass
  }
}

/** By the error codes of node:net, node:tls, node:dns and undici. */
const classOfCode: Record<string, ErrorClass> = {
  ECONNREFUSED: 'E_REFUSED',
  EHOSTUNREACH: 'E_REFUSED',
  ENETUNREACH: 'E_REFUSED',
  EADDRNOTAVAIL: 'E_REFUSED',
  EHOSTDOWN: 'E_REFUSED',
  ENETDOWN: 'E_REFUSED',
  EACCES: 'E_REFUSED',
  EPERM: 'E_REFUSED',
  ETIMEDOUT: 'E_CONNECT_TIMEOUT',
  UND_ERR_CONNECT_TIMEOUT: 'E_CONNECT_TIMEOUT',
  ECONNRESET: 'E_RESET',
  ECONNABORTED: 'E_RESET',
  EPIPE: 'E_RESET',
  UND_ERR_SOCKET: 'E_RESET',
  UND_ERR_HEADERS_OVERFLOW: 'E_HEAD_TOO_LARGE',
  HPE_HEADER_OVERFLOW: 'E_HEAD_TOO_LARGE',
  EPROTO: 'E_TLS',
  CERT_HAS_EXPIRED: 'E_TLS',
  CERT_NOT_YET_VALID: 'E_TLS',
  CERT_REVOKED: 'E_TLS',
  CERT_UNTRUSTED: 'E_TLS',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'E_TLS',
  SELF_SIGNED_CERT_IN_CHAIN: 'E_TLS',
  UNABLE_TO_GET_ISSUER_CERT: 'E_TLS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'E_TLS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'E_TLS',
  INVALID_PURPOSE: 'E_TLS',
}

/** The class of whatever ended a request; an unknown error counts as a bad response. */
export function classOf(error: unknown): ErrorClass {
  if (error instanceof AttemptFailure) return error.errorClass
  const code = codeOf(error)
  if (/^ERR_(TLS|SSL|OSSL)/.test(code)) return 'E_TLS'
  if (code === 'UND_ERR_SOCKET' && isBadMessage(error)) return 'E_BAD_RESPONSE'
  return classOfCode[code] ?? 'E_BAD_RESPONSE'
}

/** Whether the receiver closed or reset the connection before it sent a response. */
export const isClosedByPeer = (error: unknown): boolean => classOf(error) === 'E_RESET'

/** undici reports "bad response" and "bad upgrade" with the code of a closed socket. */
const isBadMessage = (error: unknown) => error instanceof Error && error.message.startsWith('bad ')

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
