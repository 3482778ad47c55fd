import { Text } from '@mantine/core'

export type Tone = 'good' | 'bad' | 'warn' | 'quiet'

/** A state in a word; the colour of the dot repeats it at a glance. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Text component="span" size="sm" className="status" data-tone={tone}>
      {children}
    </Text>
  )
}
