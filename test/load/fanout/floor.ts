import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { messageOf } from './message.ts'

/**
 * The floor that `npm run bench:fanout` compares with: a message that is sent becomes one frame, made once and written to
 * whoever watches. No credential, no database, no limits, nothing kept.
 */
const watchers = new Set<ServerResponse>()
let count = 0

function watch(response: ServerResponse) {
  watchers.add(response)
  response.once('close', () => watchers.delete(response))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders()
}

async function send(request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { room_name, content } = JSON.parse(Buffer.concat(chunks).toString())
  const data = messageOf(String(++count), room_name, content)
  const event = { id: `evt_${count}`, type: 'chat.message.sent', timestamp: data.created_at, sequence: count, data }
  const frame = Buffer.from(`id: ${count}\nevent: chat.message.sent\ndata: ${JSON.stringify(event)}\n\n`)
  for (const watcher of watchers) watcher.write(frame)
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
}

createServer((request, response) => {
  if (request.method === 'POST') return void send(request, response)
  if (request.headers.accept === 'text/event-stream') return watch(response)
  return response.end('{"data":[]}')
}).listen(Number(process.env.PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
