import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useTimeZone } from '../../app/time-style.ts'
import { Chart, type Series } from '../../components/charts/chart.tsx'
import { Figure, Figures } from '../../components/charts/figures.tsx'
import { Section } from '../../components/section.tsx'
import { describeDuration } from '../../components/times.ts'
import { stepNames } from './step-names.ts'
import type { UsageFigures } from './usage.tsx'

const series: readonly Series[] = [
  { name: 'Half within', tone: 'accent' },
  { name: '95 of 100 within', tone: 'quiet-accent' },
]

const intro =
  'From the event to your receiver’s answer to the first attempt: our time on the way, and its own. Of the newest few hundred deliveries of each step.'

export function DeliveryLatency({ usage: { deliveries, delivery_latency: whole, step } }: { usage: UsageFigures }) {
  const zone = useTimeZone()
  return (
    <Section title="Delivery latency" intro={intro}>
      {whole.sampled === 0 ? (
        <NoDelivery />
      ) : (
        <>
          <Figures>
            <Figure name="Half within">{describe(whole.p50_ms)}</Figure>
            <Figure name="95 of 100 within">{describe(whole.p95_ms)}</Figure>
          </Figures>
          <Chart
            label="Delivery latency"
            series={series}
            describe={describeDuration}
            steps={deliveries.map((one) => stepOf(one, step, zone))}
          />
        </>
      )}
    </Section>
  )
}

const NoDelivery = () => (
  <Text size="sm" c="dimmed">
    No delivery in this time. They begin with a{' '}
    <Anchor component={Link} to="/developer/webhooks" size="sm">
      webhook
    </Anchor>
    .
  </Text>
)

type Delivered = UsageFigures['deliveries'][number]

function stepOf({ at, p50_ms, p95_ms }: Delivered, step: UsageFigures['step'], zone: string | undefined) {
  const [half = 0, most = 0] = [p50_ms ?? undefined, p95_ms ?? undefined]
  return { ...stepNames(at, step, zone), parts: [half, most - half], values: [describe(p50_ms), describe(p95_ms)] }
}

const describe = (ms: number | null) => (ms === null ? '–' : describeDuration(ms))
