import { ActionIcon, Button, CopyButton, Group, Text, Tooltip } from '@mantine/core'
import { Icon } from './icon.tsx'

const SHOWN_MS = 2_000

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

export function CopyIconButton({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={SHOWN_MS}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
          <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${label}`}>
            {copied ? <Icon shape="check" /> : <Icon shape="copy" />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

export function CopyTextButton({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={SHOWN_MS}>
      {({ copied, copy }) => (
        <Button onClick={copy} leftSection={copied ? <Icon shape="check" /> : <Icon shape="copy" />}>
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  )
}
