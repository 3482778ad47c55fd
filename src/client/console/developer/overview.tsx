import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { useAccount } from '../app/session.tsx'
import { Fact, Facts } from '../components/facts.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { Status } from '../components/feedback/status.tsx'
import { Page } from '../components/page.tsx'
import { Row } from '../components/row.tsx'
import { Section } from '../components/section.tsx'
import { describeDuration } from '../components/times.ts'
import { NeedsAttention } from './attention/needs-attention.tsx'
import { useApplications } from './use-applications.ts'

const REFRESH_MS = 15_000
/** What we promise: 95 of 100 first attempts begin within this. */
const PROMISED_S = 2
/** What is tried again is no news: it is called late when it waits for longer than this. */
const RETRIES_LATE_S = 60

export function Overview() {
  const { username } = useAccount()
  return (
    <Page title="Overview" intro={`Hello, ${username}.`}>
      <NeedsAttention />
      <FirstSteps />
      <ServiceStatus />
    </Page>
  )
}

type Step = { title: string; to: string; text: string; isDone: boolean }

/** The way from nothing to events; vanishes once it has been gone. */
function FirstSteps() {
  const trpc = useTRPC()
  const applications = useApplications()
  const webhookList = useQuery(trpc.webhooks.list.queryOptions({}))
  const { data: webhooks } = webhookList
  const [first] = applications.data ?? []
  const steps: Step[] = [
    {
      title: 'Create an application',
      to: first ? '/developer/applications' : '/developer/applications/new',
      text: 'It stands for your program and has the credentials.',
      isDone: first !== undefined,
    },
    {
      title: 'Make the first call',
      to: '/developer/quick-start',
      text: 'With a key of the application; snippets to paste.',
      isDone: applications.data?.some(({ last_called_at }) => last_called_at !== null) ?? false,
    },
    {
      title: 'Subscribe to events',
      to: webhooks?.items.length ? '/developer/webhooks' : '/developer/webhooks/new',
      text: 'Say where events should go, and send yourself a test.',
      isDone: (webhooks?.items.length ?? 0) > 0,
    },
    {
      title: 'Watch deliveries arrive',
      to: '/developer/deliveries',
      text: 'Every attempt, with request and answer, as it happens.',
      isDone: webhooks?.items.some(({ last_success_at }) => last_success_at !== null) ?? false,
    },
  ]
  // until all is known nothing is shown that would vanish at once
  if (!applications.error && (applications.isPending || webhookList.isPending || steps.every(({ isDone }) => isDone)))
    return null
  return (
    <Section title="Where to begin">
      <Loaded query={applications} lines={4}>
        {() => (
          <ol className="rows">
            {steps.map((step) => (
              <StepRow key={step.title} step={step} />
            ))}
          </ol>
        )}
      </Loaded>
    </Section>
  )
}

const StepRow = ({ step: { title, to, text, isDone } }: { step: Step }) => (
  <Row
    title={
      <Anchor component={Link} to={to} inherit>
        {title}
      </Anchor>
    }
    end={isDone && <Status tone="good">Done</Status>}
  >
    {text}
  </Row>
)

function ServiceStatus() {
  const trpc = useTRPC()
  const query = useQuery(trpc.deliveries.status.queryOptions({}, { refetchInterval: REFRESH_MS }))
  return (
    <Section
      title="How deliveries are doing"
      intro="Of the whole service, in the last five minutes. What waits because its receiver rests, is slow or gets a burst is not counted."
    >
      <Loaded query={query} lines={2}>
        {(status) => <DeliveryFigures status={status} />}
      </Loaded>
    </Section>
  )
}

function DeliveryFigures({ status }: { status: Outputs['deliveries']['status'] }) {
  const { due_lag_s, retry_lag_s, publish_to_arrival_p50_s: p50, publish_to_arrival_p95_s: p95 } = status
  const arrival = (seconds: number | null) => (seconds === null ? 'No delivery' : describeDuration(seconds * 1000))
  return (
    <Stack gap="sm">
      <Promptness lagS={due_lag_s} retryLagS={retry_lag_s} p95S={p95} />
      <Facts>
        <Fact name="Longest wait now">{describeDuration(due_lag_s * 1000)}</Fact>
        <Fact name="Longest wait of a retry">{describeDuration(retry_lag_s * 1000)}</Fact>
        <Fact name="From event to arrival">{arrival(p50)}</Fact>
        <Fact name="95 of 100 within">{arrival(p95)}</Fact>
      </Facts>
    </Stack>
  )
}

/** Green by the promise alone: that nothing waits now does not say that nothing was late. */
function Promptness({ lagS, retryLagS, p95S }: { lagS: number; retryLagS: number; p95S: number | null }) {
  if (lagS > PROMISED_S || (p95S !== null && p95S > PROMISED_S)) return <Status tone="warn">Deliveries are late</Status>
  if (retryLagS > RETRIES_LATE_S) return <Status tone="warn">Retries are late</Status>
  if (p95S === null) return <Status tone="quiet">Nothing was to be delivered lately</Status>
  return <Status tone="good">Deliveries go out at once</Status>
}
