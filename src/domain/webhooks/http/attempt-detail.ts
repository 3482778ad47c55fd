import { classOf, codeOf } from './attempt-failure.ts'
import type { ReceiverResponse } from './response.ts'
import { beginningBefore } from './response-heads.ts'
import { tlsSentence } from './tls-failures.ts'

const CHARACTERS_MAX = 500
const CONTROLS = /\p{Cc}/gu

/**
 * What a status or an error class leaves open, in one sentence for the developer: why the encryption failed, what was read
 * instead of a response, where a redirect leads to. Null where there is nothing to add. The receiver chose parts of this text, so
 * whoever shows it must escape it.
 */
export function detailOf({ status, location, error }: ReceiverResponse): string | null {
  const sentence = status === null ? sentenceOf(error) : redirectOf(status, location)
  if (sentence === undefined) return null
  const text = sentence.replace(CONTROLS, '\ufffd').toWellFormed()
  return [...text.slice(0, 2 * CHARACTERS_MAX)].slice(0, CHARACTERS_MAX).join('')
}

function redirectOf(status: number, location: string | undefined): string | undefined {
  if (status < 300 || status > 399 || location === undefined) return undefined
  return `Redirects are not followed; this one leads to ${location}`
}

/** By the code of the error. */
const sentences: Record<string, string | undefined> = {
  ECONNREFUSED: 'Nothing accepts connections at this address and port.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
}

function sentenceOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const [errorClass, code] = [classOf(error), codeOf(error)]
  if (errorClass === 'E_TLS') return tlsSentence(code, error)
  return errorClass === 'E_BAD_RESPONSE' ? badResponse(error) : sentences[code]
}

function badResponse(error: Error): string | undefined {
  const beginning = beginningBefore(error)
  if (!beginning?.length) return undefined
  const why = /\((.+)\)$/.exec(error.message)?.[1]
  return `This is no response of HTTP/1.1${why === undefined ? '' : ` (${why})`}: ${JSON.stringify(String(beginning))}`
}
