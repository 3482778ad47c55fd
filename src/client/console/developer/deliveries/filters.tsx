import { NativeSelect, TextInput } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { useEventTypes } from '../../components/use-event-types.ts'
import type { Webhook } from '../webhooks/webhooks.tsx'
import { outcomes } from './outcome.tsx'

const anyOutcome = { value: '', label: 'Any outcome' }
const outcomeChoices = Object.entries(outcomes).map(([value, { word }]) => ({ value, label: word }))

/** Keeps the filters in the address, so that a link or the back button leads to the same list. */
export function Filters({ webhooks, subscription }: { webhooks: Webhook[]; subscription: string }) {
  const [search, setSearch] = useSearchParams()
  const { data: types = [] } = useEventTypes()
  const choose = (name: string) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value === '') next.delete(name)
      else next.set(name, value)
      return next
    })
  }
  const input = (name: string) => ({ value: search.get(name) ?? '', onChange: choose(name) })
  return (
    <search className="filters" aria-label="Filters">
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
      <TextInput label="From" type="datetime-local" {...input('from')} />
      <TextInput label="To" type="datetime-local" {...input('to')} />
    </search>
  )
}
