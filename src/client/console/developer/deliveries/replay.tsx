import { Button, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../../components/feedback/problem.tsx'
import { TimeInput } from '../../components/forms/time-input.tsx'
import { Section } from '../../components/section.tsx'
import type { Webhook } from '../webhooks/webhooks.tsx'
import { type ReplayKind, useReplay } from './use-replay.ts'

const kinds: readonly { value: ReplayKind; label: string }[] = [
  { value: 'failed', label: 'What failed' },
  { value: 'missed', label: 'What was missed' },
  { value: 'all', label: 'Everything' },
]

/** Sends the deliveries of a period again, with the same identifiers and bytes, after new ones. */
export function Replay({ webhook: { id, status } }: { webhook: Webhook }) {
  const [only, setOnly] = useState<ReplayKind>('failed')
  const [from, setFrom] = useState<string>()
  const [to, setTo] = useState<string>()
  const { start, queued, isRunning, isDone, error } = useReplay(id)
  const span = { ...(from && { from }), ...(to && { to }) }
  return (
    <Section
      title="Replay"
      intro="Sends a stretch of time again, with the same webhook-id and the same bytes, so that a receiver can tell what it has already. “Missed” is what happened while the subscription was disabled."
    >
      <div className="filters">
        <NativeSelect
          label="What"
          data={kinds}
          value={only}
          onChange={({ currentTarget }) => setOnly(currentTarget.value as ReplayKind)}
        />
        <TimeInput label="Since" value={from} onChange={setFrom} />
        <TimeInput label="Until" value={to} onChange={setTo} />
        <Button loading={isRunning} disabled={status !== 'enabled'} onClick={() => void start({ only, ...span })}>
          Replay
        </Button>
      </div>
      {status !== 'enabled' && <Text size="sm">Enable the subscription first.</Text>}
      {error !== undefined && <Problem error={error} title="The replay has stopped" />}
      {(isRunning || isDone) && (
        <Stack gap={4} role="status">
          <Progress value={100} animated={isRunning} aria-label="Replay" />
          <Text size="sm">{isRunning ? `${queued} queued so far…` : `${queued} queued.`}</Text>
        </Stack>
      )}
    </Section>
  )
}
