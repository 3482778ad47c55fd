import { Checkbox, Code, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Outputs } from '../../app/session.tsx'
import { Loaded } from '../feedback/loaded.tsx'
import { useEventTypes } from '../use-event-types.ts'

type EventType = Outputs['webhooks']['eventTypes'][number]
type EventTypesInputProps = {
  value?: string[]
  onChange: (types: string[]) => void
  error?: ReactNode
  /** Why those of moderation are not among them, where they are not. */
  note?: ReactNode
  withModeration?: boolean
}

/** The value of the box that ticks all others: in a group, a box needs a value of its own. */
const ALL = '*'

/** Event types to tick, those of moderation only where they can be had. */
export function EventTypesInput({ value = [], onChange, error, note, withModeration = false }: EventTypesInputProps) {
  const query = useEventTypes()
  return (
    <Loaded query={query}>
      {(types) => {
        const possible = types.filter(
          ({ type, for_moderators }) => type !== 'webhook.test' && (withModeration || !for_moderators),
        )
        const all = possible.map(({ type }) => type)
        const isAll = all.every((type) => value.includes(type))
        const choose = (ticked: string[]) => {
          if (ticked.includes(ALL) !== isAll) return onChange(isAll ? [] : all)
          onChange(ticked.filter((type) => type !== ALL))
        }
        const ticked = isAll ? [ALL, ...value] : value
        return (
          <Checkbox.Group label="Events" required value={ticked} onChange={choose} error={error}>
            <Stack gap="xs" mt="xs">
              <Checkbox value={ALL} label="All of these" indeterminate={value.length > 0 && !isAll} />
              {possible.map((one) => (
                <EventTypeCheckbox key={one.type} eventType={one} />
              ))}
            </Stack>
            {note && (
              <Text size="sm" c="dimmed" mt="xs">
                {note}
              </Text>
            )}
          </Checkbox.Group>
        )
      }}
    </Loaded>
  )
}

const EventTypeCheckbox = ({ eventType: { type, description } }: { eventType: EventType }) => (
  <Checkbox value={type} label={<Code>{type}</Code>} description={description} />
)
