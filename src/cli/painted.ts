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
