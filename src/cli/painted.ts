import { printable } from '../telemetry/printable.ts'
import type { CliIo, Tone } from './io.ts'

/** A text in a colour of ours. What came from outside is spelled out in it as everywhere: a terminal obeys the colour alone. */
export class Painted {
  readonly #text: string
  constructor({ paint }: Pick<CliIo, 'paint'>, tone: Tone, text: string) {
    this.#text = paint(tone, printable(text))
  }
  toString() {
    return this.#text
  }
}
