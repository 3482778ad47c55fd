import { Avatar, Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BIO_LENGTH_MAX } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { notifyDone } from '../components/feedback/notices.tsx'
import { fieldErrors } from '../components/forms/field-errors.ts'
import { FormProblem } from '../components/forms/form-problem.tsx'
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
  const queries = useQueryClient()
  const { bio, image_url } = useAccount()
  const form = useForm({ mode: 'uncontrolled', initialValues: { bio: bio ?? '', image_url: image_url ?? '' } })
  const { mutate, error, isPending } = useMutation(
    trpc.channels.update.mutationOptions({
      onSuccess: () => {
        notifyDone('Your profile is saved.')
        return queries.invalidateQueries({ queryKey: trpc.account.pathKey() })
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, ['bio', 'image_url'])),
    }),
  )
  return (
    <form className="form" onSubmit={form.onSubmit((values) => mutate(values))}>
      <Textarea
        label="Bio"
        description={`At most ${BIO_LENGTH_MAX} characters`}
        autosize
        minRows={3}
        key={form.key('bio')}
        {...form.getInputProps('bio')}
      />
      <TextInput
        label="Image URL"
        description="The https address of a picture"
        type="url"
        placeholder="https://"
        key={form.key('image_url')}
        {...form.getInputProps('image_url')}
      />
      <FormProblem form={form} error={error} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Changes are events too: applications hear of them by webhook.
        </Text>
        <Button type="submit" ml="auto" loading={isPending}>
          Save
        </Button>
      </Group>
    </form>
  )
}
