/** A text in which we have put colours ourselves: nothing of it came from outside. */
export class Painted {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString() {
    return this.#text
  }
}

/** Others' text with its control and invisible characters spelled out, so that a terminal obeys none of them. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => names[one] ?? `\\u{${one.codePointAt(0)?.toString(16)}}`)

const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** One line of JSON, in which the control characters that JSON would leave are spelled out as well. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)}\n`
