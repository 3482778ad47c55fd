import { withoutSecrets } from '../../telemetry/redaction.ts'

/** Where credentials are sent only fields are shown that never hold one. */
const DOOR = '/oauth/'
const SHOWN_AT_DOOR = new Set([
  'grant_type',
  'client_id',
  'redirect_uri',
  'scope',
  'token_type_hint',
  'client_assertion_type',
])

/** Names of fields, without anything but letters and digits, whose values may be secrets. */
const SECRET_NAME =
  /secret|token|passw|passphrase|pwd|assertion|verifier|challenge|authorization|cookie|credential|privatekey|apikey|accesskey|signature|dpop|proof|jwt|bearer|session|code$|otp$|pin$|^(key|pw|auth|state|nonce)$/
const PLAIN_NAME = /^[\w.[\]-]{1,60}$/

const JWT = /eyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*){0,3}/g
const HEADER_VALUE = /\b(bearer|basic|dpop) +[^\s",]+/gi
/** A parameter of a URL inside of a text; its name is judged as that of a field. */
const PARAMETER = /([?&#;])([^=&#;\s]{1,60})=([^&#;\s]*)/g
/** Longer than identifiers of ours are; when it has letters and digits, it is a secret of somebody else's. */
const UNBROKEN = /[\w+=-]{32,}/g
/** What every secret has that is known by its form: most texts have nothing of it, and need not be searched for each form. */
const SUSPICIOUS = /[\w+/=-]{16}|eyJ|:\/\/|[?&#;].*=|":"|(?:bearer|basic|dpop) /i

const TEXT_LENGTH_MAX = 200
const SENT_LENGTH_MAX = 1_200
const NODES_MAX = 100
const STRUCK = '…'

/** What a request sent, as far as it may be shown: its path without its query, and the fields of its query and its body. */
export type SentRequest = { path?: string | undefined; query?: unknown; body?: unknown }

/**
 * What a failed request sent as JSON of at most 1,200 characters, without values that are secrets by the names of their fields or by
 * their form. Null when there is nothing to show.
 */
export function shownRequest(operation: string, { path, query, body }: SentRequest): string | null {
  const isAtDoor = operation.includes(DOOR)
  const left = { nodes: NODES_MAX }
  const fieldsOf = (value: unknown) => (isEmpty(value) ? undefined : withoutValues(value, isAtDoor, left))
  const shown = {
    ...(path !== undefined && { path: shownText(path) }),
    query: fieldsOf(query),
    body: fieldsOf(body),
  }
  const json = JSON.stringify(shown)
  if (json === '{}') return null
  return json.length <= SENT_LENGTH_MAX ? json : `${json.slice(0, SENT_LENGTH_MAX)}${STRUCK}`
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** A text without what has the form of a secret, cut off after `lengthMax` characters. */
export function shownText(text: string, lengthMax = TEXT_LENGTH_MAX): string {
  const short = text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}${STRUCK}`
  if (!SUSPICIOUS.test(short)) return short
  return withoutSecrets(short)
    .replace(JWT, STRUCK)
    .replace(HEADER_VALUE, `$1 ${STRUCK}`)
    .replace(PARAMETER, (part, mark: string, name: string) => (isSecretName(name) ? `${mark}${name}=${STRUCK}` : part))
    .replace(UNBROKEN, (part) => (/\d/.test(part) && /[A-Za-z]/.test(part) ? STRUCK : part))
}

/** The same value with secrets struck out, up to so many fields and items; the recursion ends with what a body may be nested. */
function withoutValues(value: unknown, isAtDoor: boolean, left: { nodes: number }): unknown {
  if (left.nodes-- <= 0) return STRUCK
  if (typeof value === 'string') return shownText(value)
  if (Array.isArray(value)) {
    return value.slice(0, left.nodes + 1).map((item) => withoutValues(item, isAtDoor, left))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).slice(0, left.nodes + 1)
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      shownName(name),
      mayShow(name, isAtDoor) ? withoutValues(shownPart(name, inner), isAtDoor, left) : STRUCK,
    ]),
  )
}

/** Where a webhook goes is read by whoever belongs to the application, and the query may hold a secret of the receiver's. */
const shownPart = (name: string, value: unknown) =>
  name === 'url' && typeof value === 'string' ? value.replace(/\?.+/s, `?${STRUCK}`) : value

/** A form that is not one makes a name of its whole body. */
const shownName = (name: string) => (PLAIN_NAME.test(name) ? shownText(name) : STRUCK)

const mayShow = (name: string, isAtDoor: boolean) =>
  PLAIN_NAME.test(name) && (isAtDoor ? SHOWN_AT_DOOR.has(name) : !isSecretName(name))

const isSecretName = (name: string) => SECRET_NAME.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''))
