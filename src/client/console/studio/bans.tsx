import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInfiniteQuery } from '@tanstack/react-query'
import { client, useTRPC } from '../app/api.ts'
import { failureOf } from '../app/failure.ts'
import type { Outputs } from '../app/session.tsx'
import { Empty } from '../components/feedback/empty.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { useAction } from '../components/forms/action.ts'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Instant } from '../components/instant.tsx'
import { More } from '../components/more.tsx'
import { Page } from '../components/page.tsx'
import { byCursor, itemsOf } from '../components/pages.ts'
import { Row } from '../components/row.tsx'
import { Section } from '../components/section.tsx'

type Ban = Outputs['moderation']['list']['items'][number]

export function Bans() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.moderation.list.infiniteQueryOptions({}, byCursor))
  return (
    <Page title="Bans" intro="Whoever is banned can read your chat but not write in it, until you lift the ban.">
      <BanForm />
      <Loaded query={query}>
        {(found) =>
          itemsOf(found).length === 0 ? (
            <Empty title="Nobody is banned">Ban somebody here by username, or from a message in your chat.</Empty>
          ) : (
            <BanList bans={itemsOf(found)} />
          )
        }
      </Loaded>
      <More query={query} />
    </Page>
  )
}

/** Whoever has this username; it is looked up, since a ban names people by their identifier. */
async function banByName({ username }: { username: string }) {
  const { id } = await client.channels.get.query({ slug: username.trim() })
  return client.moderation.ban.mutate({ user_id: id })
}

const errorsOf = (error: unknown): Record<string, string> => {
  const { code, message } = failureOf(error)
  if (code === 'channel_not_found') return { username: 'There is nobody with this name.' }
  return code === 'already_banned' || code === 'cannot_ban_self' ? { username: message } : {}
}

function BanForm() {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { username: '' } })
  const submit = useSubmit(
    form,
    { mutationFn: banByName },
    {
      errorsOf,
      done: 'They cannot write in your chat any more.',
      refresh: trpc.moderation.pathKey(),
      onDone: form.reset,
    },
  )
  return (
    <Section title="Ban somebody">
      <Form form={form} submit={submit} onSubmit={submit.send} isFleeting buttons={<BanButton {...submit} />}>
        <TextInput
          label="Username"
          required
          maxLength={25}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
      </Form>
    </Section>
  )
}

const BanButton = ({ isPending }: { isPending: boolean }) => (
  <Group>
    <Button type="submit" variant="default" loading={isPending}>
      Ban
    </Button>
  </Group>
)

const BanList = ({ bans }: { bans: Ban[] }) => (
  <Section title="Banned">
    <ul className="rows">
      {bans.map((ban) => (
        <BanRow key={ban.id} ban={ban} />
      ))}
    </ul>
  </Section>
)

function BanRow({ ban: { created_at, blocked_user } }: { ban: Ban }) {
  const trpc = useTRPC()
  const name = blocked_user?.username ?? 'A deleted account'
  const { run, isPending } = useAction(trpc.moderation.unban.mutationOptions(), {
    done: `${name} may write again.`,
    failed: 'The ban was not lifted',
    refresh: trpc.moderation.pathKey(),
  })
  return (
    <Row
      title={name}
      end={
        blocked_user && (
          <Button
            size="xs"
            variant="default"
            loading={isPending}
            onClick={() => void run({ user_id: blocked_user.id })}
          >
            Unban
          </Button>
        )
      }
    >
      Banned <Instant at={created_at} />
    </Row>
  )
}
