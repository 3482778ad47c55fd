import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type UseMutationOptions, useQuery } from '@tanstack/react-query'
import { STREAM_TITLE_LENGTH_MAX } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { useFollowing } from '../components/forms/changed.ts'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import type { Livestream } from './live-stream.tsx'

type StreamValues = { title: string; category: string }
type StreamFormProps<Failure> = {
  options: UseMutationOptions<Livestream, Failure, Partial<StreamValues>>
  values: StreamValues
  onSubmit: (
    form: UseFormReturnType<StreamValues>,
    values: StreamValues,
    send: (values: Partial<StreamValues>) => void,
  ) => void
  action: string
  done: string
}

/** Title and category of a stream. What was not touched here follows the stream: a bot may have changed it. */
export function StreamForm<Failure>({ options, values, onSubmit, action, done }: StreamFormProps<Failure>) {
  const trpc = useTRPC()
  const { data: categories } = useQuery(trpc.categories.list.queryOptions({}))
  const form = useForm({ initialValues: values })
  useFollowing(form, values)
  const submit = useSubmit(form, options, {
    fields: ['title', 'category'],
    done,
    refresh: trpc.livestreams.pathKey(),
  })
  const choices = (categories?.items ?? []).map(({ slug, label }) => ({ value: slug, label }))
  return (
    <Form
      form={form}
      submit={submit}
      onSubmit={(typed) => onSubmit(form, typed, submit.send)}
      buttons={
        <Group justify="flex-end">
          <Button type="submit" loading={submit.isPending}>
            {action}
          </Button>
        </Group>
      }
    >
      <TextInput
        label="Title"
        maxLength={STREAM_TITLE_LENGTH_MAX}
        autoComplete="off"
        {...form.getInputProps('title')}
      />
      <NativeSelect
        label="Category"
        data={[{ value: '', label: 'None' }, ...choices]}
        {...form.getInputProps('category')}
      />
    </Form>
  )
}
