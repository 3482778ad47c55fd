import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  isTRPCClientError,
  splitLink,
  type TRPCClient,
  type TRPCClientError,
  type TRPCLink,
} from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../routers/index.ts'
import { CALL_BATCH_MAX } from '../shared/limits.ts'

export type { AppRouter }
/** What a procedure takes: `RouterInputs['chat']['send']`. */
export type RouterInputs = inferRouterInputs<AppRouter>
/** What a procedure answers, or of a subscription what it yields. */
export type RouterOutputs = inferRouterOutputs<AppRouter>

/** A class such as that of the package `eventsource`, whose option `fetch` sends what is asked for. */
type EventSourceClass = NonNullable<Parameters<typeof httpSubscriptionLink>[0]['EventSource']>

export type ClientOptions = {
  /** Where the service is, for example `https://api.example.com`. */
  baseUrl: string
  /**
   * An access token or an API key, or what gives one: it is asked before every request, so it may refresh. Our own pages
   * leave it out: there the cookie of the login session speaks.
   */
  credential?: string | (() => string | Promise<string>) | undefined
  /** Sends the requests in place of the platform's own `fetch`; subscriptions are not among them. */
  fetch?: typeof fetch | undefined
  /** What calls pass before they are sent. */
  links?: readonly TRPCLink<AppRouter>[] | undefined
  /** For subscriptions where there is none, as in Node, or with a credential: that of the package `eventsource`. */
  EventSource?: EventSourceClass | undefined
}

/**
 * The typed client: every procedure of the service with the types of its router, from a browser or from Node. A failed
 * call rejects with a `TRPCClientError`, whose `data.problem` has the `code` and `message` that REST shows. Subscriptions
 * connect again by themselves and go on where they were cut off, until a refusal, which ends them with such an error.
 */
export function createClient({
  baseUrl,
  credential,
  fetch: send,
  links = [],
  EventSource,
}: ClientOptions): TRPCClient<AppRouter> {
  const url = `${baseUrl.replace(/\/$/, '')}/trpc`
  const headers = async (): Promise<Record<string, string>> => {
    const token = typeof credential === 'function' ? await credential() : credential
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }
  const fetchStream: typeof fetch = async (to, init) =>
    unredirected(await fetch(to, { ...init, ...AS_IT_IS, headers: { ...init?.headers, ...(await headers()) } }))
  const sendCall: typeof fetch = send ?? ((to, init) => fetch(to, init))
  return createTRPCClient<AppRouter>({
    links: [
      ...links,
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          url,
          ...(EventSource && { EventSource, eventSourceOptions: { fetch: fetchStream } }),
        }),
        false: httpBatchLink({
          url,
          maxItems: CALL_BATCH_MAX,
          headers,
          fetch: async (to, { signal, ...init } = {}) =>
            unredirected(await sendCall(to, { ...init, ...AS_IT_IS, signal: signal ?? null })),
        }),
      }),
    ],
  })
}

/** With 'error' in its place Node forgets the signal of a call, once it collects garbage, as soon as the answer has begun. */
const AS_IT_IS = { redirect: 'manual' } as const

/** The service sends nobody elsewhere: whoever does would have what is in a call sent there. */
function unredirected(response: Response): Response {
  const { status, type } = response
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return response // browsers do not tell the status
  void response.body?.cancel()
  throw new TypeError('A redirect to another address, which is not followed: is that the right baseUrl?')
}

/** Whether an error is a failed call, answered or not. */
export const isFailedCall = (error: unknown): error is TRPCClientError<AppRouter> => isTRPCClientError<AppRouter>(error)

/** The service's answer to a call that failed; undefined when it did not answer. */
export function problemOf(error: unknown): { code: string; message: string } | undefined {
  return isFailedCall(error) ? error.data?.problem : undefined
}
