import { Checkbox, Code, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Outputs } from '../../app/session.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useEventTypes } from '../events/use-event-types.ts'

type EventType = Outputs['webhooks']['eventTypes'][number]
type EventTypesInputProps = { value?: string[]; onChange: (types: string[]) => void; error?: ReactNode }

/** Event types to tick. Those of moderation are shown and say why they cannot be had here. */
export function EventTypesInput({ value = [], onChange, error }: EventTypesInputProps) {
  const query = useEventTypes()
  return (
    <Loaded query={query}>
      {(types) => {
        const possible = types.filter(({ type, for_moderators }) => type !== 'webhook.test' && !for_moderators)
        return (
          <Checkbox.Group label="Events" required value={value} onChange={onChange} error={error}>
            <Stack gap="xs" mt="xs">
              <AllTypes types={possible.map(({ type }) => type)} value={value} onChange={onChange} />
              {possible.map((one) => (
                <EventTypeCheckbox key={one.type} eventType={one} />
              ))}
            </Stack>
            <Text size="sm" c="dimmed" mt="xs">
              Moderation events are a matter of the channel’s owner: subscribe to them through the API, with a token of
              that user and a moderation scope.
            </Text>
          </Checkbox.Group>
        )
      }}
    </Loaded>
  )
}

const EventTypeCheckbox = ({ eventType: { type, description } }: { eventType: EventType }) => (
  <Checkbox value={type} label={<Code>{type}</Code>} description={description} />
)

type AllTypesProps = { types: string[]; value: string[]; onChange: (types: string[]) => void }

function AllTypes({ types, value, onChange }: AllTypesProps) {
  const isAll = types.every((type) => value.includes(type))
  return (
    <Checkbox
      label="All of these"
      checked={isAll}
      indeterminate={value.length > 0 && !isAll}
      onChange={() => onChange(isAll ? [] : types)}
    />
  )
}
