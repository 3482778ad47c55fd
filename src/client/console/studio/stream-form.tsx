import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type UseMutationOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { STREAM_TITLE_LENGTH_MAX } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { notifyDone } from '../components/feedback/notices.tsx'
import { fieldErrors } from '../components/forms/field-errors.ts'
import { FormProblem } from '../components/forms/form-problem.tsx'
import type { Livestream } from './live-stream.tsx'

type Values = { title: string; category: string }
type StreamFormProps<Failure> = {
  /** Called with the values: starts a stream or changes it. */
  options: UseMutationOptions<Livestream, Failure, Partial<Values>>
  values: Values
  action: string
  done: string
}

export function StreamForm<Failure>({ options, values, action, done }: StreamFormProps<Failure>) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { data: categories } = useQuery(trpc.categories.list.queryOptions({}))
  const form = useForm({ initialValues: values })
  const { mutate, error, isPending } = useMutation({
    ...options,
    onSuccess: () => {
      notifyDone(done)
      return queries.invalidateQueries({ queryKey: trpc.livestreams.pathKey() })
    },
    onError: (failure) => form.setErrors(fieldErrors(failure, ['title', 'category'])),
  })
  const choices = (categories?.items ?? []).map(({ slug, label }) => ({ value: slug, label }))
  return (
    <form className="form" onSubmit={form.onSubmit((changed) => mutate(changed))}>
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
      <FormProblem form={form} error={error} />
      <Group justify="flex-end">
        <Button type="submit" loading={isPending}>
          {action}
        </Button>
      </Group>
    </form>
  )
}
