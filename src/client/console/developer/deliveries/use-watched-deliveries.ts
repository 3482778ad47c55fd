import { skipToken, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useTRPC } from '../../app/api.ts'
import type { StreamStatus } from '../../components/feedback/live.tsx'

/** Loads everything about a subscription again whenever the service reports a change. */
export function useWatchedDeliveries(subscription: string | undefined): StreamStatus {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { status } = useSubscription(
    trpc.deliveries.watch.subscriptionOptions(subscription === undefined ? skipToken : { subscription }, {
      onData() {
        void queries.invalidateQueries({ queryKey: trpc.deliveries.pathKey() })
        void queries.invalidateQueries({ queryKey: trpc.webhooks.get.pathKey() })
      },
    }),
  )
  return status
}
