import { type QueryKey, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyDone, notifyFailed } from '../feedback/notices.tsx'
import { type Question, useConfirm } from './confirm.tsx'

type Outcome = {
  /** The message shown on success. */
  done?: string
  /** The title of the message shown on failure. */
  failed: string
  /** The queries to load again afterwards. */
  refresh: QueryKey
}

/** A change at the press of a button: asks for confirmation when there is a question, then does it and reports the result. */
export function useAction<Output, Failure, Input, Prepared>(
  options: UseMutationOptions<Output, Failure, Input, Prepared>,
  { done, failed, refresh }: Outcome,
) {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const { mutateAsync, isPending } = useMutation(options)
  /** Resolves to what the service answered, or to undefined when it was not done. */
  const run = async (input: Input, question?: Question): Promise<{ output: Output } | undefined> => {
    if (question && !(await confirm(question))) return undefined
    try {
      const output = await mutateAsync(input)
      if (done !== undefined) notifyDone(done)
      void queries.invalidateQueries({ queryKey: refresh })
      return { output }
    } catch (error) {
      notifyFailed(failed, error)
      return undefined
    }
  }
  return { run, isPending }
}
