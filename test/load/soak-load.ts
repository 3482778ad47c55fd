import { randomUUID } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import type { SoakStage } from './soak-stage.ts'

const THINK_MS = 60
const ANSWER_MS = 20_000
const AGAIN_MS = 50
/** What a caller has to expect of a service whose processes die: it says so, or it says nothing. */
const LOST = 0
const CALM = new Set([200, 201, 204, 503, LOST])

type Call = { token?: string; body?: object; form?: Record<string, string>; key?: string }
type Answered = { status: number; data?: Record<string, unknown>; body?: Record<string, unknown> }

/** What the callers have seen, for the reckoning at the end. */
export type Seen = {
  answers: Map<string, number>
  /** Identifier → content of messages that were acknowledged. */
  acknowledged: Map<string, string>
  /** Contents that were sent until they were acknowledged, with one `Idempotency-Key` each. */
  keyed: Set<string>
  refreshes: number
  /** What should never happen, in words. */
  wrong: string[]
  /** How long each answer took that was neither 503 nor nothing. */
  answerMs: number[]
  /** When an answer last came that was neither 503 nor nothing. */
  answeredAt: number
}

/** Reads, sends, subscribes and refreshes as many callers do, until `signal`. */
export async function putLoadOn(stage: SoakStage, seen: Seen, hook: string, signal: AbortSignal): Promise<void> {
  const { users, api_key: apiKey, client } = stage.demo
  const people = [users.streamer, users.viewer, users.outsider] as const
  const rooms = [users.streamer.username, users.viewer.username]

  async function ask(route: string, call: Call): Promise<Answered> {
    const base = pick(stage.bases)
    const begun = performance.now()
    const answer = await send(base, route, call).catch((): Answered => ({ status: LOST }))
    const name = `${route.replace(/\/sub_\w+|\?.*/, '')} ${answer.status || 'lost'}`
    seen.answers.set(name, (seen.answers.get(name) ?? 0) + 1)
    if (!CALM.has(answer.status)) seen.wrong.push(`${name} ${JSON.stringify(answer.body)}`)
    if (answer.status !== 503 && answer.status !== LOST) {
      seen.answeredAt = performance.now()
      seen.answerMs.push(seen.answeredAt - begun)
    }
    return answer
  }

  /** The same request until it is acknowledged; also beyond `signal`, for what was begun must come to its end. */
  async function insist(route: string, call: Call): Promise<Answered> {
    for (;;) {
      const answer = await ask(route, call)
      if (answer.status !== 503 && answer.status !== LOST) return answer
      await after(AGAIN_MS)
    }
  }

  async function repeat(work: () => Promise<unknown>) {
    while (!signal.aborted) {
      await work()
      await after(Math.random() * 2 * THINK_MS)
    }
  }

  const reads = [
    'GET /v1/channels/',
    `GET /v1/channels/${users.streamer.username}`,
    'GET /v1/livestreams/',
    'GET /v1/categories/',
    'GET /v1/users/me',
    `GET /v1/chat/messages?room_name=${users.streamer.username}&limit=50`,
    'GET /v1/events/subscriptions',
  ]
  const read = () => ask(pick(reads), { token: users.streamer.access_token })

  let count = 0
  const say = async () => {
    const isKeyed = Math.random() < 0.5
    const content = `${isKeyed ? 'keyed' : 'plain'} ${count++}`
    const { access_token: token } = pick(people.slice(0, 2))
    const call = { token, body: { room_name: pick(rooms), content } }
    const route = 'POST /v1/chat/messages'
    const answer = isKeyed ? await insist(route, { ...call, key: randomUUID() }) : await ask(route, call)
    if (answer.status === 201) seen.acknowledged.set(String(answer.data?.id), content)
    if (isKeyed && answer.status === 201) seen.keyed.add(content)
  }

  const subscribe = async () => {
    const body = { url: `${hook}/passing`, event_types: ['chat.message.sent'] }
    const made = await insist('POST /v1/events/subscriptions', { token: apiKey, body, key: randomUUID() })
    await after(500)
    const { status } = await ask(`DELETE /v1/events/subscriptions/${made.data?.id}`, { token: apiKey })
    if (status !== 204) await insistOnDeleting(String(made.data?.id))
  }

  /** A deletion whose answer was lost may have happened: then the next one finds nothing. */
  async function insistOnDeleting(id: string) {
    for (;;) {
      const listed = await insist('GET /v1/events/subscriptions', { token: apiKey })
      if (!JSON.stringify(listed.data).includes(id)) return
      await ask(`DELETE /v1/events/subscriptions/${id}`, { token: apiKey })
      await after(AGAIN_MS)
    }
  }

  let refreshToken = users.outsider.refresh_token
  const credentials = { client_id: client.client_id, client_secret: client.client_secret }
  const refresh = async () => {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...credentials }
    const { status, body } = await insist('POST /oauth/token', { form })
    if (status !== 200) return
    seen.refreshes++
    refreshToken = String(body?.refresh_token)
    await insist('GET /v1/users/me', { token: String(body?.access_token) })
  }

  const times = (n: number, work: () => Promise<unknown>) => Array.from({ length: n }, () => repeat(work))
  await Promise.all([...times(4, read), ...times(4, say), ...times(1, subscribe), ...times(1, refresh)])
}

/** One request; rejects when no whole answer comes. */
async function send(base: string, route: string, { token, body, form, key }: Call): Promise<Answered> {
  const [method = '', path = ''] = route.split(' ')
  const content = body ? JSON.stringify(body) : form && new URLSearchParams(form)
  const response = await fetch(`${base}${path}`, {
    method,
    signal: AbortSignal.timeout(ANSWER_MS),
    ...(content && { body: content }),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
  })
  const text = await response.text()
  const parsed = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, body: parsed, data: parsed?.data }
}

function pick<One>(list: readonly [One, ...One[]] | readonly One[]): One {
  return list[Math.floor(Math.random() * list.length)] as One // no list here is empty
}
