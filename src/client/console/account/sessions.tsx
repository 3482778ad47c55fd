import { Button, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'
import type { Outputs } from '../app/session.tsx'
import { describeBrowser } from '../components/browsers.ts'
import { Loaded } from '../components/feedback/loaded.tsx'
import { Status } from '../components/feedback/status.tsx'
import { useAction } from '../components/forms/action.ts'
import { Instant } from '../components/instant.tsx'
import { More } from '../components/more.tsx'
import { Page } from '../components/page.tsx'
import { byCursor, itemsOf } from '../components/pages.ts'
import { Row } from '../components/row.tsx'
import { Section } from '../components/section.tsx'

type LoginSession = Outputs['account']['sessions']['list']['items'][number]

export function Sessions() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.account.sessions.list.infiniteQueryOptions({}, byCursor))
  return (
    <Page
      title="Sessions"
      intro="Where you are logged in. A session ends after 12 hours without use, and after a week in any case."
    >
      <Section title="Where you are logged in">
        <Loaded query={query}>
          {(found) => (
            <ul className="rows">
              {itemsOf(found).map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </ul>
          )}
        </Loaded>
        <More query={query} />
      </Section>
    </Page>
  )
}

function SessionRow({ session }: { session: LoginSession }) {
  const { created_at, last_seen_at, ip, user_agent, is_current } = session
  const { revoke, isPending } = useRevoke(session)
  return (
    <Row
      title={
        <Group gap="xs">
          {describeBrowser(user_agent)}
          {is_current && <Status tone="good">This one</Status>}
        </Group>
      }
      end={
        <Button variant="default" size="xs" loading={isPending} onClick={revoke}>
          {is_current ? 'Log out' : 'End session'}
        </Button>
      }
    >
      {ip ?? 'Unknown address'} · last used <Instant at={last_seen_at} /> · since <Instant at={created_at} />
    </Row>
  )
}

function useRevoke({ id, is_current, user_agent }: LoginSession) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.sessions.revoke.mutationOptions(), {
    done: 'The session has ended.',
    failed: 'The session was not ended',
    refresh: trpc.account.pathKey(),
  })
  const who = is_current ? 'You' : describeBrowser(user_agent)
  const question = { title: 'End this session?', body: `${who} will have to log in again.`, action: 'End session' }
  const revoke = async () => {
    if ((await run({ id }, question)) && is_current) location.assign('/console/')
  }
  return { revoke: () => void revoke(), isPending }
}
