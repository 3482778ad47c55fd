import { useSearchParams } from 'react-router'
import { instantOf } from './address-instant.ts'

/**
 * Filters that are kept in the address, so that a link or the back button leads to the same list. `dependents`: what a filter takes
 * along when it changes. A change begins with the address of now, not with what was drawn last: two at once would lose one.
 */
export function useAddressFilters(dependents: Record<string, string | undefined> = {}) {
  const [search, setSearch] = useSearchParams()
  const keep = (name: string, value: string | undefined) => {
    const next = new URLSearchParams(location.search)
    if (value) next.set(name, value)
    else next.delete(name)
    const dependent = dependents[name]
    if (dependent !== undefined) next.delete(dependent)
    setSearch(next)
  }
  const input = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => keep(name, currentTarget.value),
  })
  const moment = (name: string) => ({
    value: instantOf(search.get(name)),
    onChange: (at: string | undefined) => keep(name, at),
  })
  return { search, keep, input, moment }
}
