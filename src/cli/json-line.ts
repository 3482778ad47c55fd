import { printableJson } from '../telemetry/printable.ts'

/** One line of JSON, in which nothing is hidden. */
export const jsonLine = (value: unknown): string => `${printableJson(JSON.stringify(value))}\n`
