import { Button, Stack } from '@mantine/core'
import { useTRPC } from '../../app/api.ts'
import { useAction } from '../../components/forms/action.ts'
import { Instant } from '../../components/instant.tsx'
import { KeyButtons, KeyDates, KeyTitle } from '../../components/key-parts.tsx'
import { Section } from '../../components/section.tsx'
import type { EncoderSettings } from './encoder.tsx'

type StreamKey = EncoderSettings['stream_key']
type StreamKeyProps = { streamKey: StreamKey; onMade: (key: string) => void }

const intro = 'One for your channel. Rolling gives it another value; what sends with the one before is cut off.'

export function StreamKeySection({ streamKey, onMade }: StreamKeyProps) {
  const { make, revoke } = useStreamKey(onMade)
  if (streamKey === null) {
    const create = (
      <Button loading={make.isPending} onClick={() => void make.first()}>
        Make stream key
      </Button>
    )
    return (
      <Section title="Stream key" actions={create}>
        Your channel has none yet: make one and paste it into your streaming program.
      </Section>
    )
  }
  const { last4, created_at, rolled_at, last_used_at } = streamKey
  return (
    <Section title="Stream key" intro={intro}>
      <ul className="rows">
        <li className="row">
          <Stack gap={4} className="row-main">
            <KeyTitle name="Key of your channel" shown={`lssk_…${last4}`} />
            <KeyDates lastUsedAt={last_used_at}>
              · {rolled_at ? 'rolled' : 'made'} <Instant at={rolled_at ?? created_at} />
            </KeyDates>
          </Stack>
          <KeyButtons roll={{ isPending: make.isPending, ask: make.another }} revoke={revoke} />
        </li>
      </ul>
    </Section>
  )
}

function useStreamKey(onMade: (key: string) => void) {
  const trpc = useTRPC()
  const refresh = trpc.streamKeys.pathKey()
  const roll = useAction(trpc.streamKeys.roll.mutationOptions(), { failed: 'The stream key was not made', refresh })
  const revoke = useAction(trpc.streamKeys.revoke.mutationOptions(), {
    done: 'Your stream key does not work any more.',
    failed: 'The stream key was not revoked',
    refresh,
  })
  const make = async (question?: Parameters<typeof roll.run>[1]) => {
    const made = await roll.run({}, question)
    if (made) onMade(made.output.key)
  }
  return {
    make: { isPending: roll.isPending, first: () => make(), another: () => make(ROLL) },
    revoke: { isPending: revoke.isPending, ask: () => revoke.run({}, REVOKE) },
  }
}

const ROLL = {
  title: 'Roll your stream key?',
  body: 'What sends with the key of now is cut off within ten seconds. Your stream waits a minute for the new one.',
  action: 'Roll key',
}
const REVOKE = {
  title: 'Revoke your stream key?',
  body: 'What sends with it is cut off within ten seconds, and your stream ends a minute later.',
  action: 'Revoke key',
}
