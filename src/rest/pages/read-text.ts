import type { IncomingMessage } from 'node:http'
import { Problem } from '../../domain/core/problem.ts'
import { refuseCoded } from '../http/bodies/content-coding.ts'
import { readBytes } from '../http/bodies/read-bytes.ts'
import type { Place } from '../http/load-limit.ts'

const BODY_BYTES_MAX = 64 * 1024

/** Reads the body of a request that has come to a page, as text. */
export type ReadText = (request: IncomingMessage) => Promise<string>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The body of a request as text, read while its place is others'. Throws what `refuseCoded` and `readBytes` throw, and
 * `invalid_request` for bytes that are not UTF-8.
 */
export async function readText(request: IncomingMessage, place: Place | undefined): Promise<string> {
  refuseCoded(request)
  const bytes = await readBytes(request, BODY_BYTES_MAX, place)
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Problem('invalid_request', 'body: must be UTF-8.', { cause })
  }
}
