import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'
import { type Outputs, useAccount } from '../app/session.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { Status } from '../components/feedback/status.tsx'
import { useAction } from '../components/forms/action.ts'
import { sendChanged } from '../components/forms/changed.ts'
import { Instant } from '../components/instant.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'
import { EncoderHealth } from './encoder/encoder-health.tsx'
import { StreamForm } from './stream-form.tsx'

export type Livestream = Outputs['livestreams']['list']['items'][number]

const REFRESH_MS = 10_000

/** Going live, changing what is shown of it, and ending. */
export function LiveStream() {
  const trpc = useTRPC()
  const { id } = useAccount()
  const query = useQuery(
    trpc.livestreams.list.queryOptions({ broadcaster_user_id: id }, { refetchInterval: REFRESH_MS }),
  )
  return (
    <Page
      title="Live stream"
      intro="What everybody sees of your stream. Applications hear at once of a start, a change and an end."
    >
      <Loaded query={query}>
        {({ items: [livestream] }) => (
          <>
            {livestream ? <Running livestream={livestream} /> : <NotLive />}
            <EncoderHealth isLive={livestream !== undefined} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function NotLive() {
  const trpc = useTRPC()
  return (
    <Section title="You are not live" actions={<Status tone="quiet">Offline</Status>}>
      <StreamForm
        options={trpc.livestreams.start.mutationOptions()}
        values={{ title: '', category: '' }}
        onSubmit={(_form, values, send) => send(values)}
        action="Go live"
        done="You are live."
      />
    </Section>
  )
}

function Running({ livestream }: { livestream: Livestream }) {
  const trpc = useTRPC()
  const { title, category, updated_at, thumbnail_url, id } = livestream
  return (
    <Section title={title ?? 'Untitled'} actions={<Status tone="good">You are live</Status>}>
      <Text size="sm" c="dimmed" component="div">
        Last change <Instant at={updated_at} />
      </Text>
      {thumbnail_url !== null && <img className="stream-preview" src={thumbnail_url} alt="Your stream a moment ago" />}
      <StreamForm
        key={id}
        options={trpc.livestreams.update.mutationOptions()}
        values={{ title: title ?? '', category: category ?? '' }}
        onSubmit={sendChanged}
        action="Save"
        done="Your stream is changed."
      />
      <End />
    </Section>
  )
}

function End() {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.livestreams.end.mutationOptions(), {
    done: 'Your stream has ended.',
    failed: 'Your stream was not ended',
    refresh: trpc.livestreams.pathKey(),
  })
  const question = { title: 'End your stream?', body: 'Your viewers see that you are offline.', action: 'End stream' }
  return (
    <Group>
      <Button variant="default" loading={isPending} onClick={() => void run({}, question)}>
        End stream
      </Button>
    </Group>
  )
}
