/** An error on one line: its message, then those of its causes. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [line = ''] = error.message.split('\n')
  return error.cause === undefined ? line : `${line}: ${errorMessageOf(error.cause)}`
}
