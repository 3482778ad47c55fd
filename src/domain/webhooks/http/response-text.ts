import { StringDecoder } from 'node:string_decoder'

const TEXT_BYTES_MAX = 4_096
const REPLACEMENT = '\ufffd'
const CONTROLS = /\p{Cc}/gu

/**
 * The body of a response as text that PostgreSQL can store: NUL and broken UTF-8 become U+FFFD, at most 4 kB. The receiver
 * chose this text, so whoever shows it must escape it.
 */
export function responseText(body: Buffer): string | null {
  if (body.length === 0) return null
  const text = decoded(body).replaceAll('\0', REPLACEMENT)
  const bytes = Buffer.from(text)
  return bytes.length <= TEXT_BYTES_MAX ? text : bytes.subarray(0, wholeCharacters(bytes)).toString('utf8')
}

/**
 * The headers of a response as text that PostgreSQL can store, one in a line, at most 4 kB. The receiver chose this text, so
 * whoever shows it must escape it.
 */
export function headText(headers: Record<string, string | string[] | undefined>): string | null {
  const lines = Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
  return responseText(Buffer.from(lines.map((line) => line.replace(CONTROLS, REPLACEMENT)).join('\n')))
}

/** A character that our limit cuts in two is left out; one that the receiver did not finish becomes U+FFFD. */
function decoded(body: Buffer): string {
  const decoder = new StringDecoder('utf8')
  const text = decoder.write(body.subarray(0, TEXT_BYTES_MAX))
  return body.length < TEXT_BYTES_MAX ? text + decoder.end() : text
}

/** The length of the characters that fit as a whole; a byte 10xxxxxx continues a character. */
function wholeCharacters(bytes: Buffer): number {
  let end = TEXT_BYTES_MAX
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return end
}
