const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz' // as in identifiers: Crockford base 32, lower case
const TIME_LENGTH = 10

/** A partition's time, `from` included and `to` not; `name` is its day or month in UTC. */
export type PartitionRange = { name: string; from: Date; to: Date }

/** The days or months of UTC from the one that holds `from` to the one that holds `to`. */
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

/** The smallest identifier of a prefix that can be made at a time. */
export function boundAt(prefix: string, at: Date): string {
  let rest = at.getTime()
  let text = ''
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${text}`
}

/** The time of a bound, in milliseconds since 1970. */
export function timeOfBound(bound: string): number {
  const digits = bound.slice(bound.indexOf('_') + 1)
  return [...digits].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)
}
