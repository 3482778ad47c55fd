import { parseArgs } from 'node:util'

/** The numbers that a script was given, `--seconds 4`, and its own for the others. Ends the script for what is no number above 0. */
export function numbersGiven<Name extends string>(defaults: Record<Name, number>): Record<Name, number> {
  const names = Object.keys(defaults) as Name[]
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  const numbers = { ...defaults }
  for (const name of names) {
    const given = values[name]
    if (given === undefined) continue
    numbers[name] = Number(given)
    if (numbers[name] > 0) continue
    process.stderr.write(`--${name}: must be a number above 0.\n`)
    process.exit(1)
  }
  return numbers
}
