import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'

/** The catalogue of events, which changes with releases only. */
export function useEventTypes() {
  const trpc = useTRPC()
  return useQuery(trpc.webhooks.eventTypes.queryOptions({}, { staleTime: Number.POSITIVE_INFINITY }))
}
