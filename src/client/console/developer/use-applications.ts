import { useQuery } from '@tanstack/react-query'
import { isAtLeast, type Role } from '../../../shared/roles.ts'
import { client, useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'

type Application = Outputs['applications']['list']['items'][number]

/** The applications that the signed-in user owns or belongs to: at most a hundred of each, so all pages are few. */
export function useApplications() {
  const trpc = useTRPC()
  return useQuery({ queryKey: [...trpc.applications.list.pathKey(), 'all'], queryFn: loadAll })
}

/** Those of them whose keys and webhooks the user may change. */
export function useDevelopedApplications() {
  const trpc = useTRPC()
  return useQuery({
    queryKey: [...trpc.applications.list.pathKey(), 'all'],
    queryFn: loadAll,
    select: (all) => all.filter(({ role }) => isAtLeast(role, 'developer')),
  })
}

async function loadAll(): Promise<Application[]> {
  const found: Application[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await client.applications.list.query({ ...(cursor && { cursor }) })
    found.push(...items)
    cursor = next ?? undefined
  } while (cursor !== undefined)
  return found
}

/** Whether the user is this or more in an application; not until that is known. */
export function useMay(role: Role, applicationId: string | undefined): boolean {
  const { data = [] } = useApplications()
  const application = data.find(({ id }) => id === applicationId)
  return application !== undefined && isAtLeast(application.role, role)
}
