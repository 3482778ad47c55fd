import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { Icon } from './icon.tsx'
import { type CopyState, useCopy } from './use-copy.ts'

/** A short value with a button that copies it. */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" className="copyable">
      <Text component="code" ff="monospace" size="sm" className="breakable">
        {value}
      </Text>
      <CopyIconButton value={value} label={label} />
    </Group>
  )
}

const icons = { idle: 'copy', copied: 'check', failed: 'warning' } as const satisfies Record<CopyState, string>
const FAILED = 'Not copied: select the text and copy it by hand'

export function CopyIconButton({ value, label }: { value: string; label: string }) {
  const { state, copy } = useCopy(value)
  const name = { idle: `Copy ${label}`, copied: 'Copied', failed: FAILED }[state]
  return (
    <>
      <Tooltip label={name} {...(state === 'failed' && { opened: true })} multiline maw={260}>
        <ActionIcon variant="subtle" color="gray" onClick={(event) => void copy(event)} aria-label={name}>
          <Icon shape={icons[state]} />
        </ActionIcon>
      </Tooltip>
      <CopyOutcome state={state} />
    </>
  )
}

export function CopyTextButton({ value, label }: { value: string; label: string }) {
  const { state, copy } = useCopy(value)
  return (
    <>
      <Button onClick={(event) => void copy(event)} leftSection={<Icon shape={icons[state]} />}>
        {{ idle: label, copied: 'Copied', failed: 'Not copied' }[state]}
      </Button>
      <CopyOutcome state={state} />
      {state === 'failed' && <Text size="sm">{FAILED}.</Text>}
    </>
  )
}

const CopyOutcome = ({ state }: { state: CopyState }) => (
  <span className="visually-hidden" role="status">
    {{ idle: '', copied: 'Copied', failed: FAILED }[state]}
  </span>
)
