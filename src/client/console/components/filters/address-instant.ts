/** An instant in an address; undefined for what is none. Without a zone it is local time. */
export function instantOf(text: string | null): string | undefined {
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
