/** The time range of a partition: `from` inclusive, `to` exclusive. `name` is its day or month in UTC. */
export type PartitionRange = { name: string; from: Date; to: Date }

/** The days or months in UTC, from that of `from` to that of `to`. */
export function partitionRanges(unit: 'day' | 'month', from: Date, to: Date): PartitionRange[] {
  const start = (step: number) =>
    unit === 'month'
      ? new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + step))
      : new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate() + step))
  const list: PartitionRange[] = []
  for (let step = 0; start(step) <= to; step++) {
    const name = start(step)
      .toISOString()
      .slice(0, unit === 'month' ? 7 : 10)
    list.push({ name: name.replaceAll('-', ''), from: start(step), to: start(step + 1) })
  }
  return list
}
