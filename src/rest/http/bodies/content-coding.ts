import type { IncomingMessage } from 'node:http'
import { Problem } from '../../../domain/core/problem.ts'

/**
 * Throws `unsupported_media_type` for a body in any coding but `identity`, which is none (RFC 9110, section 8.4.1). The
 * header `Accept-Encoding` of the answer says so (RFC 9110, section 15.5.16).
 */
export function refuseCoded({ headers: { 'content-encoding': codings } }: IncomingMessage): void {
  if (codings === undefined || codings.split(',').every(isNone)) return
  const words = 'Content-Encoding: must be identity: send the body as it is, uncompressed.'
  throw new Problem('unsupported_media_type', words, { acceptEncoding: 'identity' })
}

/** An element of a list may be empty (RFC 9110, section 5.6.1), and case does not matter. */
const isNone = (coding: string) => /^(identity)?$/i.test(coding.trim())
