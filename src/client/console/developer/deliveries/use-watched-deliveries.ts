import { skipToken, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useMemo } from 'react'
import { useTRPC } from '../../app/api.ts'
import type { StreamStatus } from '../../components/feedback/live.tsx'
import { Renewal } from './renewal.ts'

type Watched = { subscription?: string | undefined; application_id?: string | undefined }

/**
 * Loads what is shown of a subscription, or of all of an application, again when the service reports a change: at most once a
 * second. Nothing is watched while it is undefined.
 */
export function useWatchedDeliveries(watched: Watched | undefined): StreamStatus {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const renewal = useMemo(() => {
    const keys = [trpc.deliveries.list, trpc.deliveries.get, trpc.webhooks.get].map((one) => one.pathKey())
    return new Renewal(() => Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey }))))
  }, [trpc, queries])
  useEffect(() => () => renewal.stop(), [renewal])
  const { status } = useSubscription(
    trpc.deliveries.watch.subscriptionOptions(watched ?? skipToken, { onData: renewal.ask }),
  )
  return status
}
