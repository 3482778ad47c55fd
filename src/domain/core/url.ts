// spelled out, so that PostgreSQL reads it alike: its `\w`, `\d` and cases know all scripts
const CHARACTER = "[A-Za-z0-9_.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}"
const IN_PATH = `${CHARACTER}|[:@/]`
const AUTHORITY = `(?:(?:${CHARACTER}|:)*@)?(?:\\[[0-9A-Fa-f:.]+\\]|(?:${CHARACTER})+)(?::[0-9]*)?`
/** The form of an http or https URI with an authority, as a regular expression here and in SQL. */
export const HTTP_URI_FORM = `^[Hh][Tt][Tt][Pp][Ss]?://${AUTHORITY}(?:/(?:${IN_PATH})*)?(?:\\?(?:${IN_PATH}|\\?)*)?(?:#(?:${IN_PATH}|\\?)*)?$`
const HTTP_URI = new RegExp(HTTP_URI_FORM)

/**
 * Whether a text is an http or https URI with an authority, letter for letter (RFC 3986, section 3): what a browser would mend first,
 * such as spaces, umlauts and missing slashes, is none.
 */
export const isWebAddress = (text: string): boolean => HTTP_URI.test(text) && parseUrl(text) !== undefined

/**
 * A URL as browsers parse it, undefined where that is impossible. Used instead of `URL.canParse`, which in Node 20 is wrong about
 * Latin-1 characters once it has been called a few thousand times: it refuses good addresses, and `new URL` throws for others.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

const NOT_IN_URI = /%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/?#%-]/gi

/** A parsed URL as a URI: what browsers leave as it is, such as brackets in a query, is percent-encoded as well. */
export const uriOf = ({ origin, href }: URL): string =>
  origin + href.slice(origin.length).replace(NOT_IN_URI, encodeURIComponent)

/** Whether a host, as it stands in an address or without the brackets of one, is always this machine. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127\.\S+)$/i.test(host.replace(/\.$/, ''))
