import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from '../../src/db/client.ts'
import { findEmbedded } from '../../src/db/embedded/owner.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { newId } from '../../src/domain/core/ids.ts'

/**
 * The floor that `npm run bench` compares with: node:http and prepared statements on the same tables, one round trip a
 * request, no validation, no limits, no identifiers of requests. What a server in Node cannot well go below while it looks the
 * credential up each time. Run by the bench beside the service whose database it uses.
 */
const { DATA_DIR = '', PORT } = process.env
const target = findEmbedded(DATA_DIR)?.target
if (!target) throw new Error('The floor uses the database of a service that runs')
const client = connect(target, { max: 8, pipeline: 8, plans: 'generic', statementMs: 5_000 })
const run = (text: string, values: unknown[]) =>
  client.unsafe<Record<string, unknown>[]>(text, values as string[], { prepare: true })

const TOKEN = `access_tokens t join clients c on c.id = t.client_id left join grants g on g.id = t.grant_id
  left join users o on o.id = t.user_id where t.hash = $1 and t.revoked_at is null and t.expires_at > statement_timestamp()
  and c.disabled_at is null and g.revoked_at is null and o.disabled_at is null`
const CHANNEL = `select u.id, u.username, u.bio, u.image_url, l.id is not null as is_live from (select 1 from ${TOKEN}) ok
  join users u on u.username = $2 and u.disabled_at is null left join livestreams l on l.channel_id = u.id and l.ended_at is null`
const CHANNELS = `select u.id, u.username, u.bio, u.image_url, l.id is not null as is_live from (select 1 from ${TOKEN}) ok,
  lateral (select * from users where username > '' and disabled_at is null order by username limit 51) u
  left join livestreams l on l.channel_id = u.id and l.ended_at is null order by u.username`
const MESSAGES = `select m.id, m.content, m.type, m.created_at, m.user_id as user_identity, m.user_name from (select 1 from ${TOKEN}) ok,
  lateral (select * from chat_messages where channel_id = (select id from users where username = $2) order by id desc limit 51) m`
const SEND = `with sender as (select t.user_id, o.username from ${TOKEN}), room as (select id from users where username = $2),
  message as (insert into chat_messages (id, channel_id, user_id, user_name, content, created_at)
    select $3, room.id, sender.user_id, sender.username, $4, now() from room, sender
    where not exists (select from bans b where b.channel_id = room.id and b.user_id = sender.user_id) returning channel_id),
  sequence as (insert into channel_sequences as s (channel_id, last) select channel_id, 1 from message
    on conflict (channel_id) do update set last = s.last + 1 returning channel_id, last),
  event as (insert into events (id, channel_id, sequence, type, occurred_at, payload)
    select $5, channel_id, last, 'chat.message.sent', now(), $6 from sequence)
  select channel_id from message`
const ISSUE = `insert into access_tokens (hash, client_id, scopes, expires_at)
  select $1, c.id, c.scopes, statement_timestamp() + interval '1 hour' from clients c join client_secrets s on s.client_id = c.id
  where c.id = $2 and s.hash = $3 and c.disabled_at is null returning array_to_string(scopes, ' ') as scope`

function send(response: ServerResponse, status: number, value: unknown) {
  const text = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const routes: Record<string, (request: IncomingMessage, response: ServerResponse, query: string) => unknown> = {
  'GET /health/': (_, response) => send(response, 200, { ok: true, service: 'developer-api' }),
  'GET /v1/channels/': async (request, response) => {
    const rows = await run(CHANNELS, [tokenOf(request)])
    send(response, 200, { data: rows.slice(0, 50) })
  },
  'GET /v1/chat/messages': async (request, response, query) => {
    const rows = await run(MESSAGES, [tokenOf(request), new URLSearchParams(query).get('room_name')])
    send(response, 200, { data: rows.slice(0, 50).reverse() })
  },
  'POST /v1/chat/messages': async (request, response) => {
    const { room_name: room, content } = JSON.parse(await textOf(request))
    const now = new Date()
    const [id, event] = [newId('message', now), newId('event', now)]
    const payload = JSON.stringify({ id: event, type: 'chat.message.sent', data: { id, room_name: room, content } })
    await run(SEND, [tokenOf(request), room, id, content, event, payload])
    send(response, 201, { data: { id, room_name: room, content, type: 'text', created_at: now.toISOString() } })
  },
  'POST /oauth/token': async (request, response) => {
    const form = new URLSearchParams(await textOf(request))
    const token = `lsat_${randomBytes(32).toString('base64url')}`
    const [row] = await run(ISSUE, [sha256(token), form.get('client_id'), sha256(form.get('client_secret') ?? '')])
    send(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600, scope: row?.scope })
  },
}

const tokenOf = ({ headers }: IncomingMessage) => sha256(headers.authorization?.slice('Bearer '.length) ?? '')

createServer(async (request, response): Promise<unknown> => {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const route = routes[`${request.method} ${path}`]
  if (route) return route(request, response, query)
  const [channel] = await run(CHANNEL, [tokenOf(request), path.slice('/v1/channels/'.length)])
  return send(response, channel ? 200 : 404, { data: channel })
}).listen(Number(PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
