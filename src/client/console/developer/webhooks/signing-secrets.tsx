import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useTRPC } from '../../app/api.ts'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { Section } from '../../components/section.tsx'
import { type Secret, ShownOnce } from '../../components/shown-once.tsx'
import type { WebhookDetails } from './webhook.tsx'

const HOUR_S = 3_600
const overlaps = [
  { value: '0', label: 'Stop the old one now' },
  { value: String(HOUR_S), label: 'Old one for an hour' },
  { value: String(24 * HOUR_S), label: 'Old one for a day' },
  { value: String(7 * 24 * HOUR_S), label: 'Old one for a week' },
]

type SigningSecretsProps = { webhook: WebhookDetails; mayRotate: boolean }

export function SigningSecrets({ webhook: { id, secrets }, mayRotate }: SigningSecretsProps) {
  return (
    <Section
      title="Signing secrets"
      intro="Each delivery carries a signature for every living secret, so a receiver that knows any of them can verify it."
    >
      <ul className="rows">
        {secrets.map(({ id: secretId, created_at, expires_at }) => (
          <li className="row" key={secretId}>
            <Text size="sm">
              Made <Instant at={created_at} />
            </Text>
            <Text size="sm" c="dimmed">
              {expires_at ? (
                <>
                  Stops <Instant at={expires_at} />
                </>
              ) : (
                'Current'
              )}
            </Text>
          </li>
        ))}
      </ul>
      {mayRotate && <Rotation id={id} />}
    </Section>
  )
}

function Rotation({ id }: { id: string }) {
  const trpc = useTRPC()
  const [overlap, setOverlap] = useState(String(24 * HOUR_S))
  const [secret, setSecret] = useState<Secret>()
  const { run, isPending } = useAction(trpc.webhooks.rotateSecret.mutationOptions(), {
    failed: 'The secret was not rotated',
    refresh: trpc.webhooks.get.pathKey(),
  })
  const rotate = async () => {
    const rotated = await run({ id, overlap_s: Number(overlap) }, rotation)
    if (!rotated) return
    const hint = 'Until the old secret ends, every delivery is signed with both.'
    setSecret({ title: 'New signing secret', value: rotated.output.signing_secret, hint })
  }
  return (
    <>
      <Group align="flex-end">
        <NativeSelect
          label="When rotating"
          data={overlaps}
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
        />
        <Button variant="default" loading={isPending} onClick={() => void rotate()}>
          Rotate secret
        </Button>
      </Group>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

const rotation = {
  title: 'Rotate the signing secret?',
  body: 'A new secret signs from now on. The old one signs beside it for as long as you have chosen; at most three live at a time.',
  action: 'Rotate secret',
}
