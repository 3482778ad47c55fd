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

/** The machine that figures are of, on one line. */
export function machineLine(machine: { cores: number; model: string; load: number }): string {
  const { cores, model, load } = machine
  return `${new Date().toISOString().slice(0, 10)}, ${cores} cores (${model.trim()}), load ${load.toFixed(1)} before, Node ${process.version}`
}
