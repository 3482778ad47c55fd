import type { DemoCredentials } from '../../src/domain/demo/credentials.ts'

export type LoadRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  status: number
}

/** The six requests that stand for all: what most callers ask, each in another way. */
export function requestsOf({ users, client }: DemoCredentials) {
  const { username: room, access_token: token } = users.streamer
  const bearer = { authorization: `Bearer ${token}` }
  const read = (path: string): LoadRequest => ({ method: 'GET', path, headers: bearer, status: 200 })
  const form = { client_id: client.client_id, client_secret: client.client_secret, grant_type: 'client_credentials' }
  return {
    health: { method: 'GET', path: '/health/', headers: {}, status: 200 },
    channel: read(`/v1/channels/${room}`),
    channels: read('/v1/channels/?limit=50'),
    messages: read(`/v1/chat/messages?room_name=${room}&limit=50`),
    send: {
      method: 'POST',
      path: '/v1/chat/messages',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ room_name: room, content: 'hello from the bench, of an ordinary length for a chat' }),
      status: 201,
    },
    token: {
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      status: 200,
    },
  } satisfies Record<string, LoadRequest>
}

/** What a platform is mostly asked, in about these shares. */
export function mixOf(demo: DemoCredentials): LoadRequest[] {
  const { channel, channels, messages, send, token } = requestsOf(demo)
  return [channel, messages, channel, channels, channel, messages, send, channel, messages, token]
}
