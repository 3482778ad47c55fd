/** Why something failed, on one line: what the error says first, and what is at the bottom of it. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [line = ''] = error.message.split('\n')
  return error.cause === undefined ? line : `${line}: ${errorMessageOf(error.cause)}`
}
