import { ApiError, ConnectionError, DeveloperApi, Login, SignatureError, webhooks } from '@developer-api/sdk'

/**
 * What a program does with the SDK, on whichever platform this is imported by; returns what came of it. `base` is a service,
 * `wire` a server that does to calls what networks do.
 */
export async function tryAll({ base, wire, token, tokens, clientId, delivery }) {
  const api = new DeveloperApi({ baseUrl: base, credential: token })
  return {
    list: await walk(api),
    feed: await follow(api, wire),
    stopped: await stop(api),
    refreshed: await refresh(base, clientId, tokens),
    tries: await again(wire),
    errors: await refusals(api, wire),
    webhooks: await unwrap(delivery),
    login: await new Login({ baseUrl: base, clientId }).begin({
      redirectUri: 'http://127.0.0.1/',
      scopes: ['user:read'],
    }),
  }
}

async function walk(api) {
  const names = []
  for await (const { username } of api.channels.list({ limit: 1 })) names.push(username)
  return names
}

/** What is said when the feed is open, and again when it was cut off and is open again. */
async function follow(api, wire) {
  const [heard, saying] = [[], []]
  const say = () => saying.push(api.chat.send({ room_name: 'ada', content: `open ${saying.length}` }))
  for await (const { data } of api.events.follow({ types: ['chat.message.sent'], onOpen: say })) {
    heard.push(data.content)
    if (heard.length === 2) break
    await fetch(`${wire}/cut`)
  }
  await Promise.all(saying)
  return heard
}

async function stop(api) {
  const end = new AbortController()
  for await (const _ of api.events.follow({ signal: end.signal, onOpen: () => end.abort() })) return 'went on'
  return 'without an error'
}

/** Ten calls that all find the tokens too old. */
async function refresh(baseUrl, clientId, tokens) {
  const kept = []
  const api = new DeveloperApi({ baseUrl, user: { clientId, tokens, onTokens: (given) => kept.push(given) } })
  const names = await Promise.all(Array.from({ length: 10 }, async () => (await api.users.me()).username))
  return { names: [...new Set(names)], kept: kept.length, isNew: kept[0].refresh_token !== tokens.refresh_token }
}

/** A message whose first connection is lost, and which is told to come later then. */
const again = async (wire) =>
  (await new DeveloperApi({ baseUrl: wire, credential: 'x' }).chat.send({ room_name: 'ada', content: 'x' })).id

async function refusals(api, wire) {
  const elsewhere = new DeveloperApi({ baseUrl: wire, credential: 'secret' })
  const nobody = new DeveloperApi({ baseUrl: 'http://127.0.0.1:1', tries: 1 })
  const told = []
  for (const call of [() => api.channels.get('nobody'), () => elsewhere.users.me(), () => nobody.health.live()]) {
    const error = await call().catch((failure) => failure)
    const hasId = typeof error.requestId === 'string'
    told.push(error instanceof ApiError ? [error.name, error.code, hasId] : [error instanceof ConnectionError])
  }
  return told
}

async function unwrap({ secret, headers, body }) {
  const { id } = await webhooks.unwrap(secret, new Headers(headers), new TextEncoder().encode(body))
  const changed = await webhooks.unwrap(secret, headers, `${body} `).catch((error) => error instanceof SignatureError)
  return [id, changed]
}
