import { Anchor, Progress, Text } from '@mantine/core'
import { exactly } from '../../components/charts/numbers.ts'
import { Name } from '../../components/name.tsx'
import { Row } from '../../components/row.tsx'
import { Section } from '../../components/section.tsx'
import type { UsageFigures } from './usage.tsx'

type Limit = UsageFigures['rate_limit']

/** How much of its rate limit each credential has used. */
export function RateLimit({ rateLimit: { limit, window_s, keys } }: { rateLimit: Limit }) {
  return (
    <Section
      title="Rate limit now"
      intro={
        <>
          Each key, and each token, may make {exactly(limit)} requests in {window_s} seconds.{' '}
          <Anchor href="/docs/guides/limits" size="sm">
            How to keep within it
          </Anchor>
        </>
      }
    >
      {keys.length === 0 ? (
        <Text size="sm" c="dimmed">
          This application has no API key. For a token, the headers of each answer say where it stands.
        </Text>
      ) : (
        <ul className="rows">
          {keys.map((key) => (
            <KeyRow key={key.id} of={key} limit={limit} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function KeyRow({ of: { name, last4, remaining, reset_s }, limit }: { of: Limit['keys'][number]; limit: number }) {
  const used = limit - remaining
  const isFull = remaining === 0
  return (
    <Row
      title={
        <>
          <Name>{name}</Name>{' '}
          <Text span ff="monospace" size="sm" c="dimmed">
            …{last4}
          </Text>
        </>
      }
      end={
        <Progress.Root size="lg" className="used">
          <Progress.Section
            value={(used / limit) * 100}
            aria-label={`Used by ${name}`}
            color={isFull ? 'var(--bad)' : 'iris'}
          />
        </Progress.Root>
      }
    >
      {exactly(used)} of {exactly(limit)} used
      {used > 0 && ` · starts again in ${reset_s} s`}
    </Row>
  )
}
