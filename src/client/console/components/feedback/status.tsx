import { Text } from '@mantine/core'

export type Tone = 'good' | 'bad' | 'warn' | 'quiet'

/** A state in a word; the dot repeats it for those who scan. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Text component="span" size="sm" className="status" data-tone={tone}>
      {children}
    </Text>
  )
}
