import { Group, SegmentedControl, Text } from '@mantine/core'
import { useId } from 'react'
import { setTimeStyle, type TimeStyle, useTimeStyle } from '../app/time-style.ts'

const choices = [
  { value: 'ago', label: 'Ago' },
  { value: 'local', label: 'Local' },
  { value: 'utc', label: 'UTC' },
] as const satisfies { value: TimeStyle; label: string }[]

/** How times are shown on all pages. */
export function TimeStyleChoice() {
  const id = useId()
  const style = useTimeStyle()
  return (
    <Group gap={0} pt="sm" wrap="nowrap">
      <Text size="xs" fw={650} c="dimmed" px="sm" id={id}>
        Times
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby={id}
        data={[...choices]}
        value={style}
        onChange={(value) => setTimeStyle(value as TimeStyle)}
      />
    </Group>
  )
}
