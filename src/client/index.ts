import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from '../routers/index.ts'

export type ClientOptions = {
  /** Where the service is, for example `https://api.example.com`. */
  baseUrl: string
  /**
   * An access token or an API key, or what gives one: it is asked before every request, so it may refresh. Our own pages
   * leave it out: there the cookie of the login session speaks.
   */
  credential?: string | (() => string | Promise<string>) | undefined
}

/** As many calls as the service takes in one request. */
const BATCH_MAX = 10

/**
 * The typed client: every procedure of the service with the types of its router, from a browser or from Node. A failed
 * call rejects with a `TRPCClientError`, whose `data.problem` has the `code` and `message` that REST shows.
 */
export function createClient({ baseUrl, credential }: ClientOptions) {
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${baseUrl.replace(/\/$/, '')}/trpc`,
        maxItems: BATCH_MAX,
        async headers() {
          const token = typeof credential === 'function' ? await credential() : credential
          return token === undefined ? {} : { authorization: `Bearer ${token}` }
        },
      }),
    ],
  })
}
