import { messageFor } from '../../app/failure.ts'

/** The messages of a refusal by field, for a form that has these fields. */
export function fieldErrors(error: unknown, fields: readonly string[]): Record<string, string> {
  const found = fields.map((field) => [field, messageFor(field, error)] as const)
  return Object.fromEntries(found.flatMap(([field, message]) => (message === undefined ? [] : [[field, message]])))
}
