import { NativeSelect } from '@mantine/core'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { TypedFilter } from '../../components/filters/typed-filter.tsx'
import { useAddressFilters } from '../../components/filters/use-address-filters.ts'
import { TimeInput } from '../../components/forms/time-input.tsx'
import { useEventTypes } from '../../components/use-event-types.ts'
import { useApplications } from '../use-applications.ts'
import type { Webhook } from '../webhooks/webhooks.tsx'
import { filterNames, statuses } from './ledger-filters.ts'
import { outcomes } from './outcomes.ts'

const any = (label: string) => ({ value: '', label })
const outcomeChoices = Object.entries(outcomes).map(([value, { word }]) => ({ value, label: word }))
const statusChoices = Object.entries(statuses).map(([value, label]) => ({ value, label }))
const nameOf = ({ description, url }: Webhook) => description ?? url

/** A subscription belongs to one application. */
const useAddress = () => useAddressFilters({ application: 'subscription' })

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
      <TypedFilter name="id" label="Event or message" placeholder="evt_… or msg_…" />
      <TypedFilter name="text" label="Text" placeholder="in what was sent or answered" />
      <TimeInput label="From" {...moment('from')} />
      <TimeInput label="To" {...moment('to')} />
    </FilterBar>
  )
}
