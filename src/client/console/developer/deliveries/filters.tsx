import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useSearchParams } from 'react-router'
import { FilterBar } from '../../components/filter-bar.tsx'
import { TimeInput } from '../../components/forms/time-input.tsx'
import { useEventTypes } from '../../components/use-event-types.ts'
import { useApplications } from '../use-applications.ts'
import type { Webhook } from '../webhooks/webhooks.tsx'
import { filterNames, instantOf, statuses } from './ledger-filters.ts'
import { outcomes } from './outcomes.ts'

const TYPING_MS = 400

const any = (label: string) => ({ value: '', label })
const outcomeChoices = Object.entries(outcomes).map(([value, { word }]) => ({ value, label: word }))
const statusChoices = Object.entries(statuses).map(([value, label]) => ({ value, label }))
const nameOf = ({ description, url }: Webhook) => description ?? url

/** Keeps the filters in the address, so that a link or the back button leads to the same list. */
function useAddress() {
  const [search, setSearch] = useSearchParams()
  const keep = (name: string, value: string | undefined) =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value) next.set(name, value)
      else next.delete(name)
      if (name === 'application') next.delete('subscription')
      return next
    })
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

/** `webhooks`: those to choose from, the chosen one among them; `hasMore` when there are others. */
export function Filters({ webhooks, hasMore }: { webhooks: Webhook[]; hasMore: boolean }) {
  const { search, input, moment } = useAddress()
  const { data: types = [] } = useEventTypes()
  const { data: applications = [] } = useApplications()
  const status = search.get('status') ?? ''
  const exact = /^\d+$/.test(status) ? [status] : []
  return (
    <FilterBar set={filterNames.filter((name) => search.has(name)).length}>
      <NativeSelect
        label="Application"
        data={[any('All applications'), ...applications.map(({ id, name }) => ({ value: id, label: name }))]}
        {...input('application')}
      />
      <NativeSelect
        label="Subscription"
        description={hasMore && 'The oldest hundred; find others among the webhooks.'}
        data={[any('All subscriptions'), ...webhooks.map((webhook) => ({ value: webhook.id, label: nameOf(webhook) }))]}
        {...input('subscription')}
      />
      <NativeSelect label="Outcome" data={[any('Any outcome'), ...outcomeChoices]} {...input('outcome')} />
      <NativeSelect label="Status" data={[any('Any status'), ...statusChoices, ...exact]} {...input('status')} />
      <NativeSelect label="Event type" data={[any('Any type'), ...types.map(({ type }) => type)]} {...input('type')} />
      <Typed name="id" label="Event or message" placeholder="evt_… or msg_…" />
      <Typed name="text" label="Text" placeholder="in what was sent or answered" />
      <TimeInput label="From" {...moment('from')} />
      <TimeInput label="To" {...moment('to')} />
    </FilterBar>
  )
}

/** A filter that is typed: it counts once the typing pauses. */
function Typed({ name, label, placeholder }: { name: string; label: string; placeholder: string }) {
  const { search, keep } = useAddress()
  const type = useDebouncedCallback((text: string) => keep(name, text.trim()), TYPING_MS)
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      key={search.has(name) ? 'typed' : 'empty'}
      defaultValue={search.get(name) ?? ''}
      maxLength={200}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  )
}
