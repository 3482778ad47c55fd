import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../app/api.ts'
import { isolated } from '../../components/name.tsx'
import { useMay } from '../use-applications.ts'

/** The keys of an application by their identifiers; none for a viewer, who has identifiers alone. */
export type KeyNames = ReadonlyMap<string, string>

const none: KeyNames = new Map()

export function useKeyNames(application_id: string): KeyNames {
  const trpc = useTRPC()
  const select = ({ items }: { items: readonly { id: string; name: string; last4: string }[] }) =>
    new Map(items.map(({ id, name, last4 }) => [id, `${isolated(name)} …${last4}`]))
  const enabled = useMay('developer', application_id)
  const { data = none } = useQuery(trpc.applications.keys.list.queryOptions({ application_id }, { select, enabled }))
  return data
}
