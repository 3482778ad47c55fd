import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'

/** The signed-in user's applications. An account has at most a hundred, which fit on one page. */
export function useApplications() {
  const trpc = useTRPC()
  return useQuery(trpc.applications.list.queryOptions({}, { select: ({ items }) => items }))
}
