import { printable } from './printable.ts'

const colours: Record<string, number> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 }

/** A log line for a terminal: time, level, message, the other fields as `name=value`, and the stack on lines of its own; nothing in it that a terminal obeys. */
export function prettyLine(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  const colour = colours[String(level)] ?? 39
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name}=${printable(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  const head = [
    String(time).slice(11, 23),
    `\u001B[${colour}m${String(level).padEnd(5)}\u001B[0m`,
    printable(String(msg ?? '')),
    ...facts,
  ]
  return `${head.join(' ')}\n${err === undefined ? '' : `${stackOf(err)}\n`}`
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return `  ${printable(JSON.stringify(error))}`
  const cause = 'cause' in error ? `\n  caused by ${stackOf(error.cause)}` : ''
  return `  ${String(error.stack).split('\n').map(printable).join('\n')}${cause}`
}
