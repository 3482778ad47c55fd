import { Text } from '@mantine/core'
import { useTimeZone } from '../../app/time-style.ts'
import { Chart, type Series } from '../../components/charts/chart.tsx'
import { Figure, Figures } from '../../components/charts/figures.tsx'
import { exactly, shareOf, shortly } from '../../components/charts/numbers.ts'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { LoggedCount } from './operations.tsx'
import { spanWords, stepNames } from './step-names.ts'
import type { UsageFigures } from './usage.tsx'

const series: readonly Series[] = [
  { name: 'Answered', tone: 'accent' },
  { name: 'Errors', tone: 'bad' },
  { name: 'Over the limit', tone: 'warn' },
]

export function Requests({ usage: { requests, operations, step } }: { usage: UsageFigures }) {
  const zone = useTimeZone()
  const sum = (of: 'requests' | 'errors' | 'limited') => requests.reduce((all, one) => all + one[of], 0)
  const [all, errors, limited] = [sum('requests'), sum('errors'), sum('limited')]
  return (
    <Section
      title="Requests"
      intro={`Calls with a token or a key of this application ${spanWords[step]}. They appear here within seconds.`}
    >
      <Figures>
        <Figure name="Requests">{exactly(all)}</Figure>
        <Figure name="Errors" hint={shareOf(errors, all)}>
          <LoggedCount count={errors} filters={{ status: 'failed' }} />
        </Figure>
        <Figure name="Over the limit" hint={shareOf(limited, all)}>
          <LoggedCount count={limited} filters={{ status: '429' }} />
        </Figure>
        <Figure name="Average time">{all === 0 ? '–' : describeDuration(meanOf(operations))}</Figure>
      </Figures>
      {all === 0 ? (
        <Text size="sm" c="dimmed">
          No requests {step === 'hour' ? 'in the last 24 hours' : 'in the last 30 days'}.
        </Text>
      ) : (
        <Chart
          label="Requests"
          series={series}
          describe={shortly}
          steps={requests.map((one) => stepOf(one, step, zone))}
        />
      )}
    </Section>
  )
}

type Requested = UsageFigures['requests'][number]

function stepOf({ at, requests, errors, limited }: Requested, step: UsageFigures['step'], zone: string | undefined) {
  const parts = [requests - errors - limited, errors, limited]
  return { ...stepNames(at, step, zone), parts, values: parts.map(exactly) }
}

function meanOf(operations: UsageFigures['operations']): number {
  const all = operations.reduce((sum, { requests }) => sum + requests, 0)
  return operations.reduce((sum, { requests, mean_ms }) => sum + requests * (mean_ms ?? 0), 0) / all
}
