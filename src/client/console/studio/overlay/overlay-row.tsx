import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useTRPC } from '../../app/api.ts'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import type { CreatedOverlay, Overlay } from './overlays.tsx'

type OverlayRowProps = { overlay: Overlay; onRolled: (overlay: CreatedOverlay) => void }

export function OverlayRow({ overlay, onRolled }: OverlayRowProps) {
  const { name, last4, event_types } = overlay
  return (
    <li className="row">
      <Stack gap={4} className="row-main">
        <Group gap="0.25rem 0.75rem">
          <Text fw={600} className="breakable">
            {name}
          </Text>
          <Text ff="monospace" size="sm" c="dimmed">
            lsok_…{last4}
          </Text>
        </Group>
        <OverlayDates overlay={overlay} />
        <Group gap={4}>
          {event_types.map((type) => (
            <Code key={type}>{type}</Code>
          ))}
        </Group>
      </Stack>
      <OverlayActions overlay={overlay} onRolled={onRolled} />
    </li>
  )
}

function OverlayDates({ overlay: { created_at, rolled_at, last_used_at } }: { overlay: Overlay }) {
  return (
    <Text size="sm" c="dimmed">
      {last_used_at ? (
        <>
          Last used <Instant at={last_used_at} />
        </>
      ) : (
        'Never used'
      )}{' '}
      · {rolled_at ? 'rolled' : 'created'} <Instant at={rolled_at ?? created_at} />
    </Text>
  )
}

function OverlayActions({ overlay: { id, name }, onRolled }: OverlayRowProps) {
  const trpc = useTRPC()
  const refresh = trpc.overlays.pathKey()
  const roll = useAction(trpc.overlays.roll.mutationOptions(), { failed: 'The key was not rolled', refresh })
  const revoke = useAction(trpc.overlays.revoke.mutationOptions(), {
    done: `${name} does not work any more.`,
    failed: 'The key was not revoked',
    refresh,
  })
  const rollKey = async () => {
    const body = 'You get a new address. What has the address of now goes dark at once.'
    const rolled = await roll.run({ id }, { title: `Roll ${name}?`, body, action: 'Roll key' })
    if (rolled) onRolled(rolled.output)
  }
  const body = 'What has its address goes dark at once, and does not come back.'
  const question = { title: `Revoke ${name}?`, body, action: 'Revoke key' }
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={roll.isPending} onClick={() => void rollKey()}>
        Roll
      </Button>
      <Button size="xs" variant="default" loading={revoke.isPending} onClick={() => void revoke.run({ id }, question)}>
        Revoke
      </Button>
    </Group>
  )
}
