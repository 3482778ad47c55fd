import { QueryCache, QueryClient } from '@tanstack/react-query'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import type { AppRouter } from '../../../routers/index.ts'
import { createClient } from '../../index.ts'
import { connection } from './connection.ts'
import { statusOf } from './failure.ts'

const UNAUTHORIZED = 401
const TRIES_MAX = 3

export const { TRPCProvider: TrpcProvider, useTRPC } = createTRPCContext<AppRouter>()

export const client = createClient({ baseUrl: location.origin, onReachable: connection.report })

/** A refusal would only be repeated; a call without an answer is worth another try. */
function isWorthAnother(failures: number, error: unknown): boolean {
  const status = statusOf(error)
  return failures < TRIES_MAX && (status === undefined || status >= 500)
}

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthAnother, staleTime: 5_000 },
    mutations: { retry: false },
  },
  queryCache: new QueryCache({
    onError(error, query) {
      if (statusOf(error) === UNAUTHORIZED && !isAccount(query.queryKey)) askWhoIsThere()
    },
  }),
})

const isAccount = (key: readonly unknown[]) => JSON.stringify(key[0]) === '["account","me"]'

/** The session has ended: asking for the account again makes the page notice. */
function askWhoIsThere(): void {
  void queryClient.invalidateQueries({ queryKey: [['account', 'me']] })
}
