import { SegmentedControl, Text } from '@mantine/core'
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
    <div>
      <Text size="xs" fw={650} c="dimmed" px="sm" pb={4} id={id}>
        Times
      </Text>
      <SegmentedControl
        size="xs"
        ml="sm"
        aria-labelledby={id}
        data={[...choices]}
        value={style}
        onChange={(value) => setTimeStyle(value as TimeStyle)}
      />
    </div>
  )
}
