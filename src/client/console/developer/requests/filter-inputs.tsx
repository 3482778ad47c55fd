import { NativeSelect } from '@mantine/core'
import type { Outputs } from '../../app/session.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { TypedFilter } from '../../components/filters/typed-filter.tsx'
import { useAddressFilters } from '../../components/filters/use-address-filters.ts'
import { TimeInput } from '../../components/forms/time-input.tsx'
import { requestFilterNames, statuses } from './request-filters.ts'
import type { KeyNames } from './use-key-names.ts'

type Groups = Outputs['requests']['summary']['groups']

const any = (label: string) => ({ value: '', label })
const statusChoices = Object.entries(statuses).map(([value, label]) => ({ value, label }))

/** What is chosen stays a choice, also when nothing of it is among the groups. */
const choicesOf = (values: (string | null)[], chosen: string | null): string[] =>
  [...new Set([...values, chosen].map((value) => value ?? ''))].filter((value) => value !== '').toSorted()

/** Keeps the filters in the address, so that a link or the back button leads to the same list. */
export function FilterInputs({ groups, keyNames }: { groups: Groups; keyNames: KeyNames }) {
  const { search, input, moment } = useAddressFilters()
  const listed = (of: 'operation' | 'code') =>
    choicesOf(
      groups.map((group) => group[of]),
      search.get(of),
    )
  const status = search.get('status')
  const exact = status !== null && /^\d+$/.test(status) ? [{ value: status, label: status }] : []
  const keys = [...keyNames].map(([value, label]) => ({ value, label }))
  return (
    <FilterBar set={requestFilterNames.filter((name) => search.has(name)).length}>
      <NativeSelect label="Status" data={[any('Any status'), ...statusChoices, ...exact]} {...input('status')} />
      <NativeSelect label="Code" data={[any('Any code'), ...listed('code')]} {...input('code')} />
      <NativeSelect label="Operation" data={[any('Any operation'), ...listed('operation')]} {...input('operation')} />
      <NativeSelect label="Key" data={[any('Any credential'), ...keys]} {...input('key')} />
      <TimeInput label="From" {...moment('from')} />
      <TimeInput label="To" {...moment('to')} />
      <TypedFilter name="text" label="Text" description="Of the request id, the message, or what was sent." />
    </FilterBar>
  )
}
