import { availableParallelism, cpus, loadavg } from 'node:os'

/** A table in Markdown, which is also readable as it is; the first column is words, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(3, ...[name, ...rows.map((row) => row[column] ?? '')].map(lengthOf)),
  )
  const padded = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [padded(head), rule, ...rows.map(padded)].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

const lengthOf = (text: string) => text.length

const [loadBefore = 0] = loadavg()

/** The machine that figures are of, and how busy it was before they were taken, on one line. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim()
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, ${availableParallelism()} cores (${model}), load ${loadBefore.toFixed(1)} before, Node ${process.version}`
}
