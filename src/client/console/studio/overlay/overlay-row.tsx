import { Code, Group, Stack } from '@mantine/core'
import { useTRPC } from '../../app/api.ts'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { KeyButtons, KeyDates, KeyTitle } from '../../components/key-parts.tsx'
import { isolated } from '../../components/name.tsx'
import type { CreatedOverlay, Overlay } from './overlays.tsx'

type OverlayRowProps = { overlay: Overlay; onRolled: (overlay: CreatedOverlay) => void }

export function OverlayRow({ overlay, onRolled }: OverlayRowProps) {
  const { name, last4, event_types, created_at, rolled_at, last_used_at } = overlay
  return (
    <li className="row">
      <Stack gap={4} className="row-main">
        <KeyTitle name={name} shown={`lsok_…${last4}`} />
        <KeyDates lastUsedAt={last_used_at}>
          · {rolled_at ? 'rolled' : 'created'} <Instant at={rolled_at ?? created_at} />
        </KeyDates>
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

function OverlayActions({ overlay: { id, name }, onRolled }: OverlayRowProps) {
  const trpc = useTRPC()
  const refresh = trpc.overlays.pathKey()
  const roll = useAction(trpc.overlays.roll.mutationOptions(), { failed: 'The key was not rolled', refresh })
  const revoke = useAction(trpc.overlays.revoke.mutationOptions(), {
    done: `${isolated(name)} does not work any more.`,
    failed: 'The key was not revoked',
    refresh,
  })
  const rollKey = async () => {
    const body = 'You get a new address. What has the address of now goes dark at once.'
    const rolled = await roll.run({ id }, { title: `Roll ${isolated(name)}?`, body, action: 'Roll key' })
    if (rolled) onRolled(rolled.output)
  }
  const body = 'What has its address goes dark at once, and does not come back.'
  const question = { title: `Revoke ${isolated(name)}?`, body, action: 'Revoke key' }
  return (
    <KeyButtons
      roll={{ isPending: roll.isPending, ask: rollKey }}
      revoke={{ isPending: revoke.isPending, ask: () => revoke.run({ id }, question) }}
    />
  )
}
