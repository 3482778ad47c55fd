import { isWellFormed } from '../../domain/access/token-format.ts'
import { Problem } from '../../domain/core/problem.ts'
import type { EncoderCall } from '../../domain/ingest/publish.ts'

/** What happens to an encoder. `nothing`: the call is not about one that publishes. */
type Happening = 'publish' | 'update' | 'done' | 'nothing'

/** A call in the words of the domain. `isRenamed`: it publishes under its key, which the answer has to replace. */
export type MediaServerCall = EncoderCall & { happening: Happening; isRenamed: boolean }

type Fields = Readonly<Record<string, unknown>>
type Read = (fields: Fields, server: string) => MediaServerCall

/** The callbacks of nginx-rtmp, by their `call`. A `push` to another application plays, too. */
const nginxCalls = new Map<string, Happening>([
  ['publish', 'publish'],
  ['update_publish', 'update'],
  ['publish_done', 'done'],
  ['done', 'done'],
  ...nothing('connect', 'disconnect', 'play', 'play_done', 'update_play', 'record_done'),
])

/** The `action` of MediaMTX, of the hooks of SRS (of which that of each segment keeps alive), and of what calls from elsewhere. */
const jsonActions = new Map<string, Happening>([
  ['publish', 'publish'],
  ['on_publish', 'publish'],
  ['update', 'update'],
  ['on_hls', 'update'],
  ['done', 'done'],
  ['on_unpublish', 'done'],
  ...nothing('read', 'playback', 'on_connect', 'on_close', 'on_play', 'on_stop', 'on_dvr'),
])

function nothing(...names: string[]): [string, Happening][] {
  return names.map((name) => [name, 'nothing'])
}

/** What is not known is refused: MediaMTX asks as well who may use its own API. */
function happeningIn(fields: Fields, name: string, known: ReadonlyMap<string, Happening>): Happening {
  const happening = known.get(textIn(fields, name))
  if (happening) return happening
  throw new Problem('invalid_request', `${name}: must be one of ${[...known.keys()].join(', ')}.`)
}

/**
 * Reads a call as nginx-rtmp sends it: a form. The key is the name of the stream, or the argument `key` behind the name of the
 * channel. Throws `invalid_request`.
 */
export const readNginxCall: Read = (fields, server) => {
  const happening = happeningIn(fields, 'call', nginxCalls)
  const name = textIn(fields, 'name')
  const connection = textIn(fields, 'clientid')
  return callOf(happening, { server, connection, name, key: keyIn(fields), address: textIn(fields, 'addr') })
}

/** Reads a call in JSON: of MediaMTX, of SRS, or of a script. Throws `invalid_request`. */
export const readJsonCall: Read = (fields, server) => {
  const happening = happeningIn(fields, 'action', jsonActions)
  const name = (textIn(fields, 'path') || textIn(fields, 'stream')).split('/').at(-1) ?? ''
  const connection = textIn(fields, 'id') || textIn(fields, 'client_id')
  const address = textIn(fields, 'ip')
  return callOf(happening, { server, connection, name, key: keyIn(fields), address })
}

/** What may be the key in an address such as `rtmp://…/name?key=…`; the last two are where MediaMTX wants credentials. */
const KEYS = ['key', 'pass', 'token']

/** MediaMTX has what stands in the address of an encoder in `password`, `token` and `query`, SRS in `param`. */
function keyIn(fields: Fields): string {
  const query = queryOf(textIn(fields, 'query') || textIn(fields, 'param'))
  const given = ['key', 'password', 'token'].map((name) => textIn(fields, name))
  return [...given, ...KEYS.map((name) => query.get(name))].find((one) => one) ?? ''
}

/** The hooks of MediaMTX have the whole query encoded once more, since 2026, so that it can be no part of a command. */
function queryOf(text: string): URLSearchParams {
  const query = new URLSearchParams(text)
  const [only, ...others] = query.keys()
  return only?.includes('=') && others.length === 0 ? new URLSearchParams(only) : query
}

type Said = { server: string; connection: string; name: string; key: string; address: string }

function callOf(happening: Happening, { server, connection, name, key, address }: Said): MediaServerCall {
  const isRenamed = key === '' && (isWellFormed('stream', name) || happening !== 'publish')
  const call = { happening, isRenamed, connection: `${server} ${connection}`, address: address || undefined }
  if (happening !== 'nothing' && connection === '')
    throw new Problem('invalid_request', 'The call does not say which connection it is about.')
  if (call.connection.length > CONNECTION_LENGTH_MAX)
    throw new Problem('invalid_request', 'The name of the connection is too long.')
  return isRenamed ? { ...call, key: name } : { ...call, key, name }
}

const CONNECTION_LENGTH_MAX = 200

function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Problem('invalid_request', `${name}: must be a text.`)
}
