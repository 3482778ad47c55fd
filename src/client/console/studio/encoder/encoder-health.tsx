import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { exactly } from '../../components/charts/numbers.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { Status, type Tone } from '../../components/feedback/status.tsx'
import { Instant } from '../../components/instant.tsx'
import { Section } from '../../components/section.tsx'

type Encoder = NonNullable<Outputs['streamKeys']['encoder']>

const REFRESH_MS = 5_000

const words: Record<Encoder['health'], { tone: Tone; text: string }> = {
  good: { tone: 'good', text: 'Sending' },
  late: { tone: 'warn', text: 'Not heard of' },
  gone: { tone: 'bad', text: 'Gone' },
}

/** How the encoder is that sends to the channel; nothing while none does. */
export function EncoderHealth({ isLive }: { isLive: boolean }) {
  const trpc = useTRPC()
  const { data: encoder } = useQuery(trpc.streamKeys.encoder.queryOptions({}, { refetchInterval: REFRESH_MS }))
  if (!encoder) return null
  const { health, connected_at, seen_at, ends_at, bitrate_kbps, measured_at } = encoder
  const { tone, text } = words[health]
  return (
    <Section title="Encoder" actions={<Status tone={tone}>{text}</Status>}>
      <Facts>
        <Fact name="Connected">
          <Instant at={connected_at} />
        </Fact>
        <Fact name="Last heard of">
          <Instant at={seen_at} />
        </Fact>
        {bitrate_kbps !== null && measured_at !== null && (
          <Fact name="Bitrate">
            {exactly(bitrate_kbps)} kbit/s, <Instant at={measured_at} />
          </Fact>
        )}
        {health !== 'good' && isLive && (
          <Fact name="Your stream ends">
            <Instant at={ends_at} end="," /> unless it is back
          </Fact>
        )}
      </Facts>
      {!isLive && health === 'good' && (
        <Text size="sm">It sends although you are not live: go live again, or stop it.</Text>
      )}
    </Section>
  )
}
