import { messageFor } from '../../app/failure.ts'

/** What a refusal says of fields, by their names, for a form that has these. */
export function fieldErrors(error: unknown, fields: readonly string[]): Record<string, string> {
  const found = fields.map((field) => [field, messageFor(field, error)] as const)
  return Object.fromEntries(found.flatMap(([field, message]) => (message === undefined ? [] : [[field, message]])))
}
