/** Keeps values by name, each shelf so many; what was not taken for longest goes first. */
export class DocumentShelf<Value> {
  readonly #max: number
  readonly #values = new Map<string, Value>()

  constructor(max: number) {
    this.#max = max
  }

  get(name: string): Value | undefined {
    const found = this.#values.get(name)
    if (found !== undefined) this.set(name, found)
    return found
  }

  set(name: string, value: Value): void {
    this.#values.delete(name)
    this.#values.set(name, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#max && oldest !== undefined) this.#values.delete(oldest)
  }

  delete(name: string): void {
    this.#values.delete(name)
  }
}
