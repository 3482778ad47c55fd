import { Agent, Client, Pool } from 'undici'
import { AttemptFailure, isClosedByPeer } from './attempt-failure.ts'
import { type Connector, type ConnectorOptions, createConnector } from './connector.ts'
import { type ReceiverResponse, ResponseHandler } from './response.ts'
import { HEAD_BYTES_MAX, readingHeads } from './response-heads.ts'

export const DEADLINE_MS = 15_000

type Post = { url: URL; headers: string[]; body: Buffer; signal: AbortSignal }

export type Transport = {
  /** POSTs once: follows no redirect, inflates nothing, within one deadline of 15 s. Never rejects. */
  post(request: Post): Promise<ReceiverResponse>
  close(): Promise<void>
}

/** undici's own timeouts are off: they measure idle time, and a byte every 200 ms would keep resetting them. */
const settings = {
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  maxHeaderSize: HEAD_BYTES_MAX,
  headersTimeout: 0,
  bodyTimeout: 0,
}

/** Many customers may share one origin, a gateway, so the pool is wide: the window of each subscription is the limit. */
const CONNECTIONS_PER_ORIGIN = 64
const REQUESTS_PER_CONNECTION = 1_000 // then a new one, so that a busy receiver's change in DNS is noticed

/** Connections to receivers, kept alive. Proxy variables of the environment are ignored. */
export function createTransport({
  deadlineMs = DEADLINE_MS,
  ...options
}: ConnectorOptions & { deadlineMs?: number }): Transport {
  const connect = readingHeads(createConnector(options))
  const pools = new Map<string, Pool>()
  const agent = new Agent({
    factory: (origin) => {
      const pool = new Pool(origin, {
        ...settings,
        connect,
        connections: CONNECTIONS_PER_ORIGIN,
        maxRequestsPerClient: REQUESTS_PER_CONNECTION,
      })
      pools.set(String(origin), pool)
      return pool
    },
  })
  agent.on('disconnect', (origin) => forget(pools, origin.origin))
  agent.on('connectionError', (origin) => forget(pools, origin.origin))

  const post = async (request: Post, until: AbortSignal): Promise<ReceiverResponse> => {
    const isReuse = (pools.get(request.url.origin)?.stats.free ?? 0) > 0
    const response = await send(agent, request, until)
    if (!isReuse || response.status !== null || !isClosedByPeer(response.error)) return response
    return postOnFreshConnection(connect, request, until)
  }
  return {
    post: (request) => withDeadline(request.signal, deadlineMs, (until) => post(request, until)),
    close: () => agent.destroy(),
  }
}

/** For a receiver that closed an idle connection just as it was used: one more try at once, which counts as no failure. */
async function postOnFreshConnection(connect: Connector, request: Post, until: AbortSignal): Promise<ReceiverResponse> {
  const client = new Client(request.url.origin, { ...settings, connect, pipelining: 0 })
  try {
    return await send(client, request, until)
  } finally {
    client.destroy().catch(() => {})
  }
}

function send(dispatcher: Agent | Client, { url, headers, body }: Post, until: AbortSignal): Promise<ReceiverResponse> {
  const handler = new ResponseHandler()
  const cut = () => handler.cut(until.reason as AttemptFailure)
  if (until.aborted) cut()
  else {
    until.addEventListener('abort', cut, { once: true })
    dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body }, handler)
  }
  return handler.ended
}

async function withDeadline(signal: AbortSignal, ms: number, work: (until: AbortSignal) => Promise<ReceiverResponse>) {
  const until = new AbortController()
  const abort = () => until.abort(new AttemptFailure('E_ABORTED', 'given back unsent'))
  const timer = setTimeout(() => until.abort(new AttemptFailure('E_DEADLINE', `no answer within ${ms} ms`)), ms)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await work(until.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** The agent drops the pools of idle origins by itself; this keeps the map in step with it. */
function forget(pools: Map<string, Pool>, origin: string) {
  if (pools.get(origin)?.closed) pools.delete(origin)
}
