import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useSearchParams } from 'react-router'
import type { Outputs } from '../../app/session.tsx'
import { FilterBar } from '../../components/filter-bar.tsx'
import { TimeInput } from '../../components/forms/time-input.tsx'
import { instantOf } from '../deliveries/ledger-filters.ts'
import { requestFilterNames, statuses } from './request-filters.ts'
import type { KeyNames } from './use-key-names.ts'

type Groups = Outputs['requests']['summary']['groups']

const TYPING_MS = 300

const any = (label: string) => ({ value: '', label })
const statusChoices = Object.entries(statuses).map(([value, label]) => ({ value, label }))

/** What is chosen stays a choice, also when nothing of it is among the groups. */
const choicesOf = (values: (string | null)[], chosen: string | null): string[] =>
  [...new Set([...values, chosen].map((value) => value ?? ''))].filter((value) => value !== '').toSorted()

/** Keeps the filters in the address, so that a link or the back button leads to the same list. */
export function FilterInputs({ groups, keyNames }: { groups: Groups; keyNames: KeyNames }) {
  const [search, setSearch] = useSearchParams()
  const keep = (name: string, value: string | undefined) =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const type = useDebouncedCallback((text: string) => keep('text', text), TYPING_MS)
  const input = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => keep(name, currentTarget.value),
  })
  const moment = (name: string) => ({
    value: instantOf(search.get(name)),
    onChange: (at: string | undefined) => keep(name, at),
  })
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
      <TextInput
        label="Text"
        description="Of the request id, the message, or what was sent."
        defaultValue={search.get('text') ?? ''}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
    </FilterBar>
  )
}
