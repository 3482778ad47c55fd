const BEYOND_ASCII = /%[89a-f]/i
const RUN = /(?:%[0-9a-f]{2})+/gi

/** Whether the percent-encoded bytes of a text are UTF-8. Parsers put U+FFFD where they are not, and so change what was sent. */
export function isPercentEncodedUtf8(text: string): boolean {
  if (!BEYOND_ASCII.test(text)) return true
  try {
    for (const [run] of text.matchAll(RUN)) decodeURIComponent(run)
    return true
  } catch {
    return false
  }
}
