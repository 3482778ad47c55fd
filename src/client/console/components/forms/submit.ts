import type { UseFormReturnType } from '@mantine/form'
import { type QueryKey, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyDone } from '../feedback/notices.tsx'
import { fieldErrors } from './field-errors.ts'

type Outcome<Output, Input> = {
  /** The service's names of the fields, for what it says about them. */
  fields?: readonly string[]
  /** What a refusal says about fields, where their names do not tell. */
  errorsOf?: (error: unknown) => Record<string, string>
  /** The message shown on success. */
  done?: string
  /** The queries to load again afterwards. */
  refresh?: QueryKey
  onDone?: (output: Output, input: Input) => void
}

/** A form on its way to the service. */
export type Submit<Input> = { send: (input: Input) => void; error: unknown; isPending: boolean; isSuccess: boolean }

/**
 * Sends a form. A refusal goes to the fields that it names and keeps what was typed; success counts as saved at once, without
 * waiting for anything to be loaded again.
 */
export function useSubmit<Values extends Record<string, unknown>, Output, Failure, Input, Prepared>(
  form: UseFormReturnType<Values>,
  options: UseMutationOptions<Output, Failure, Input, Prepared>,
  { fields = [], errorsOf = (error) => fieldErrors(error, fields), done, refresh, onDone }: Outcome<Output, Input>,
): Submit<Input> & { data: Output | undefined } {
  const queries = useQueryClient()
  const { mutate, data, error, isPending, isSuccess } = useMutation({
    ...options,
    onSuccess(output, input) {
      form.resetDirty()
      if (done !== undefined) notifyDone(done)
      if (refresh) void queries.invalidateQueries({ queryKey: refresh })
      onDone?.(output, input)
    },
    onError: (failure) => form.setErrors(errorsOf(failure)),
  })
  return { send: (input) => mutate(input), data, error, isPending, isSuccess }
}
