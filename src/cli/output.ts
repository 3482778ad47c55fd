import { isSuccess } from '../domain/webhooks/queue/success.ts'
import type { CliIo } from './io.ts'

/** `name: value` lines, aligned; a list is joined, null shows as a dash. */
export function table(facts: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`)
    .join('\n')
}

/** Rows under the names of their columns; what there is to say when there are none. */
export function list(rows: readonly Record<string, unknown>[], none: string): string {
  const [first] = rows
  if (!first) return none
  const names = Object.keys(first)
  const lines = [names, ...rows.map((row) => names.map((name) => textOf(row[name])))]
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join(' ') : String(value ?? '-'))

/** An HTTP status, or why there was none: good when the receiver took it. */
export function formatResponse({ paint }: CliIo, status: number | null, errorClass: string | null): string {
  return paint(isSuccess(status) ? 'good' : 'bad', String(status ?? errorClass))
}
