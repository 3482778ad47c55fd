import type { ErrorClass } from '../queue/error-class.ts'
import { isTlsCode } from './tls-failures.ts'

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
}

/** The class of whatever ended a request; an unknown error counts as a bad response. */
export function classOf(error: unknown): ErrorClass {
  if (error instanceof AttemptFailure) return error.errorClass
  const code = codeOf(error)
  if (isTlsCode(code)) return 'E_TLS'
  if (code === 'UND_ERR_SOCKET' && isBadMessage(error)) return 'E_BAD_RESPONSE'
  return classOfCode[code] ?? 'E_BAD_RESPONSE'
}

/** Whether the receiver closed or reset the connection before it sent a response. */
export const isClosedByPeer = (error: unknown): boolean => classOf(error) === 'E_RESET'

/** undici reports "bad response" and "bad upgrade" with the code of a closed socket. */
const isBadMessage = (error: unknown) => error instanceof Error && error.message.startsWith('bad ')

/** The code of an error, or of what caused it. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
