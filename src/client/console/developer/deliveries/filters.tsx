import { NativeSelect } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { FilterBar } from '../../components/filter-bar.tsx'
import { TimeInput } from '../../components/forms/time-input.tsx'
import { useEventTypes } from '../../components/use-event-types.ts'
import type { Webhook } from '../webhooks/webhooks.tsx'
import { filterNames, instantOf } from './ledger-filters.ts'
import { outcomes } from './outcome.tsx'

const anyOutcome = { value: '', label: 'Any outcome' }
const outcomeChoices = Object.entries(outcomes).map(([value, { word }]) => ({ value, label: word }))

/** Keeps the filters in the address, so that a link or the back button leads to the same list. */
export function Filters({ webhooks, subscription }: { webhooks: Webhook[]; subscription: string }) {
  const [search, setSearch] = useSearchParams()
  const { data: types = [] } = useEventTypes()
  const keep = (name: string, value: string | undefined) =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const choose = (name: string) => (event: { currentTarget: { value: string } }) =>
    keep(name, event.currentTarget.value)
  const moment = (name: string) => ({
    value: instantOf(search.get(name)),
    onChange: (at: string | undefined) => keep(name, at),
  })
  const input = (name: string) => ({ value: search.get(name) ?? '', onChange: choose(name) })
  return (
    <FilterBar set={filterNames.filter((name) => search.has(name)).length}>
      <NativeSelect
        label="Subscription"
        data={webhooks.map(({ id, url, description }) => ({ value: id, label: description ?? url }))}
        value={subscription}
        onChange={choose('subscription')}
      />
      <NativeSelect label="Outcome" data={[anyOutcome, ...outcomeChoices]} {...input('outcome')} />
      <NativeSelect
        label="Event type"
        data={[{ value: '', label: 'Any type' }, ...types.map(({ type }) => type)]}
        {...input('type')}
      />
      <TimeInput label="From" {...moment('from')} />
      <TimeInput label="To" {...moment('to')} />
    </FilterBar>
  )
}
