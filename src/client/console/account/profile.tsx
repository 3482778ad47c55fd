import { Avatar, Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { BIO_LENGTH_MAX } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { useAction } from '../components/forms/action.ts'
import { sendChanged, useFollowing } from '../components/forms/changed.ts'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Instant } from '../components/instant.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'

export function Profile() {
  const { username, created_at, image_url } = useAccount()
  return (
    <Page
      title="Profile"
      intro="What everybody sees of your channel. Your username is also the name of your chat room."
    >
      <Section title={username} intro={<MemberSince at={created_at} />}>
        <Group wrap="nowrap" align="flex-start">
          <Avatar src={image_url} name={username} size="lg" alt="" visibleFrom="xs" />
          <ProfileForm />
        </Group>
      </Section>
      <OwnData />
    </Page>
  )
}

const MemberSince = ({ at }: { at: string }) => (
  <>
    Here since <Instant at={at} isAbsolute />
  </>
)

function ProfileForm() {
  const trpc = useTRPC()
  const { bio, image_url } = useAccount()
  const values = { bio: bio ?? '', image_url: image_url ?? '' }
  const form = useForm({ initialValues: values })
  useFollowing(form, values)
  const submit = useSubmit(form, trpc.channels.update.mutationOptions(), {
    fields: ['bio', 'image_url'],
    done: 'Your profile is saved.',
    refresh: trpc.account.pathKey(),
  })
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={(typed) => sendChanged(form, typed, submit.send)}
      buttons={<Save isPending={submit.isPending} />}
    >
      <Textarea
        label="Bio"
        description={`At most ${BIO_LENGTH_MAX} characters.`}
        autosize
        minRows={3}
        dir="auto"
        {...form.getInputProps('bio')}
      />
      <TextInput
        label="Image URL"
        description="The https address of a picture."
        type="url"
        placeholder="https://"
        {...form.getInputProps('image_url')}
      />
    </Form>
  )
}

const Save = ({ isPending }: { isPending: boolean }) => (
  <Group justify="space-between">
    <Text size="sm" c="dimmed">
      Changes are events too: applications hear of them by webhook.
    </Text>
    <Button type="submit" ml="auto" loading={isPending}>
      Save
    </Button>
  </Group>
)

/** The file is sent as it is read; the service asks who it is first, so the browser is only sent there after that. */
function OwnData() {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.dataExport.begin.mutationOptions(), {
    failed: 'Your data cannot be exported now',
    refresh: trpc.account.dataExport.pathKey(),
  })
  const download = async () => {
    const begun = await run({})
    if (begun) location.assign(begun.output.path)
  }
  return (
    <Section
      title="Your data"
      intro="Everything that is kept of you as one JSON file, without passwords, keys and other secrets: your account, sessions, applications, webhooks, messages and security log. Five times a day."
    >
      <Group>
        <Button variant="default" loading={isPending} onClick={() => void download()}>
          Export my data
        </Button>
      </Group>
    </Section>
  )
}
