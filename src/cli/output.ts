import { isSuccess } from '../shared/delivery.ts'
import { printable } from '../telemetry/printable.ts'
import type { CliIo } from './io.ts'
import { Painted } from './painted.ts'

/** Aligned lines of names and values; lists are joined, and null is a dash. */
export function table(fields: Record<string, unknown>): string {
  const shown = Object.entries(fields).map(([name, value]) => [printable(name), value] as const)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`).join('\n')
}

/** Aligned rows below the names of their columns, or `none` when there are no rows. */
export function list(rows: readonly Record<string, unknown>[], none: string): string {
  const [first] = rows
  if (!first) return none
  const names = Object.keys(first)
  const lines = [names.map(printable), ...rows.map((row) => names.map((name) => textOf(row[name])))]
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

function textOf(value: unknown): string {
  if (value instanceof Painted) return String(value)
  return printable(Array.isArray(value) ? value.join(' ') : String(value ?? '-'))
}

/** An HTTP status, or the class of error when there was none; green for success, red otherwise. */
export function formatResponse(io: CliIo, status: number | null, errorClass: string | null): Painted {
  return new Painted(io, isSuccess(status) ? 'good' : 'bad', String(status ?? errorClass))
}
