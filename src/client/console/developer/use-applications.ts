import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'

/** The applications of whoever is signed in; an account has at most a hundred, which is one page. */
export function useApplications() {
  const trpc = useTRPC()
  return useQuery(trpc.applications.list.queryOptions({}, { select: ({ items }) => items }))
}
