import { QueryClient } from '@tanstack/react-query'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import type { AppRouter } from '../../../routers/index.ts'
import { createClient } from '../../index.ts'
import { watchedFetch } from './connection.ts'
import { statusOf } from './failure.ts'
import { stepUp } from './step-up.ts'
import { stepUpLink } from './step-up-link.ts'

const UNAUTHORIZED = 401
const TRIES_MAX = 3
const ACCOUNT = [['account', 'me']]

export const { TRPCProvider: TrpcProvider, useTRPC } = createTRPCContext<AppRouter>()

export const client = createClient({
  baseUrl: location.origin,
  fetch: fetchForSession,
  links: [stepUpLink(stepUp.ask)],
})

/** A refusal would only be repeated; a call without an answer is worth another try. */
function isWorthAnother(failures: number, error: unknown): boolean {
  const status = statusOf(error)
  return failures < TRIES_MAX && (status === undefined || status >= 500)
}

/**
 * Calls are made whether or not the browser believes in a network: one that is held back would be made when nobody wants it
 * any more.
 */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { networkMode: 'always', refetchOnReconnect: true, retry: isWorthAnother, staleTime: 5_000 },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Whatever call it is that hears of the session's end, the page notices. */
async function fetchForSession(...call: Parameters<typeof fetch>): Promise<Response> {
  const response = await watchedFetch(...call)
  if (isSessionRefused(response)) askWhoIsThere()
  return response
}

/** One call of several may be refused, in an answer of 207; its challenge is in the headers all the same (RFC 9110, 11.6.1). */
function isSessionRefused({ status, headers }: Response): boolean {
  const challenge = headers.get('www-authenticate')
  return status === UNAUTHORIZED || (challenge !== null && !challenge.includes('insufficient_scope'))
}

/** Asks for the account again, unless that is what has just been refused, or was before. */
export function askWhoIsThere(): void {
  const { status, fetchStatus } = queryClient.getQueryCache().find({ queryKey: ACCOUNT, exact: false })?.state ?? {}
  if (status === 'success' && fetchStatus === 'idle') void queryClient.invalidateQueries({ queryKey: ACCOUNT })
}
