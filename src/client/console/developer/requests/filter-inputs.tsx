import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useSearchParams } from 'react-router'
import type { Outputs } from '../../app/session.tsx'
import { statuses } from './request-filters.ts'
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
  const change = (name: string, value: string) =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value === '') next.delete(name)
      else next.set(name, value)
      return next
    })
  const type = useDebouncedCallback((text: string) => change('text', text), TYPING_MS)
  const input = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(name, currentTarget.value),
  })
  const operations = choicesOf(
    groups.map(({ operation }) => operation),
    search.get('operation'),
  )
  const codes = choicesOf(
    groups.map(({ code }) => code),
    search.get('code'),
  )
  const status = search.get('status')
  const exact = status !== null && /^\d+$/.test(status) ? [{ value: status, label: status }] : []
  const keys = [...keyNames].map(([value, label]) => ({ value, label }))
  return (
    <search className="filters" aria-label="Filters">
      <NativeSelect label="Status" data={[any('Any status'), ...statusChoices, ...exact]} {...input('status')} />
      <NativeSelect label="Code" data={[any('Any code'), ...codes]} {...input('code')} />
      <NativeSelect label="Operation" data={[any('Any operation'), ...operations]} {...input('operation')} />
      <NativeSelect label="Key" data={[any('Any credential'), ...keys]} {...input('key')} />
      <TextInput label="From" type="datetime-local" {...input('from')} />
      <TextInput label="To" type="datetime-local" {...input('to')} />
      <TextInput
        label="Text"
        description="Of the request id, the message, or what was sent"
        key={search.has('text') ? 'typed' : 'empty'}
        defaultValue={search.get('text') ?? ''}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
    </search>
  )
}
