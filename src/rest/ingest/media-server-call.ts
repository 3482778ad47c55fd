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
const nginxCalls: Record<string, Happening | undefined> = {
  publish: 'publish',
  update_publish: 'update',
  publish_done: 'done',
  done: 'done',
}

/** The `action` of MediaMTX, of the hooks of SRS (of which that of each segment keeps alive), and of what calls from elsewhere. */
const jsonActions: Record<string, Happening | undefined> = {
  publish: 'publish',
  on_publish: 'publish',
  update: 'update',
  on_hls: 'update',
  done: 'done',
  on_unpublish: 'done',
}

/**
 * Reads a call as nginx-rtmp sends it: a form. The key is the name of the stream, or the argument `key` behind the name of the
 * channel. Throws `invalid_request`.
 */
export const readNginxCall: Read = (fields, server) => {
  const happening = nginxCalls[textIn(fields, 'call')] ?? 'nothing'
  const name = textIn(fields, 'name')
  const connection = textIn(fields, 'clientid')
  return callOf(happening, { server, connection, name, key: textIn(fields, 'key'), address: textIn(fields, 'addr') })
}

/** Reads a call in JSON: of MediaMTX, of SRS, or of a script. Throws `invalid_request`. */
export const readJsonCall: Read = (fields, server) => {
  const happening = jsonActions[textIn(fields, 'action')] ?? 'nothing'
  const name = (textIn(fields, 'path') || textIn(fields, 'stream')).split('/').at(-1) ?? ''
  const connection = textIn(fields, 'id') || textIn(fields, 'client_id')
  const address = textIn(fields, 'ip')
  return callOf(happening, { server, connection, name, key: keyIn(fields), address })
}

/** MediaMTX has what stands in the address of an encoder in `password`, `token` and `query`, SRS in `param`. */
function keyIn(fields: Fields): string {
  const query = new URLSearchParams(textIn(fields, 'query') || textIn(fields, 'param'))
  const given = [textIn(fields, 'key'), textIn(fields, 'password'), textIn(fields, 'token'), query.get('key') ?? '']
  return given.find((one) => one !== '') ?? ''
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
