/** Keeps what comes first at hand. To add, or to take out whatever is in it, costs the logarithm of how much there is. */
export class Heap<Item> {
  readonly #isBefore: (one: Item, other: Item) => boolean
  /** Each comes before those at twice its index plus one and plus two. */
  readonly #items: Item[] = []
  readonly #indexes = new Map<Item, number>()

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  add(item: Item): void {
    this.#rise(item, this.#items.length)
  }

  /** Also where it is not in it. */
  delete(item: Item): void {
    const index = this.#indexes.get(item)
    if (index === undefined) return
    this.#indexes.delete(item)
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#rise(last, index)
    this.#sink(last, this.#indexes.get(last) ?? index)
  }

  #rise(item: Item, from: number) {
    let index = from
    while (index > 0) {
      const above = (index - 1) >> 1
      const other = this.#items[above]
      if (other === undefined || !this.#isBefore(item, other)) break
      this.#put(other, index)
      index = above
    }
    this.#put(item, index)
  }

  #sink(item: Item, from: number) {
    let index = from
    for (;;) {
      const below = this.#firstBelow(index)
      const other = this.#items[below]
      if (other === undefined || !this.#isBefore(other, item)) break
      this.#put(other, index)
      index = below
    }
    this.#put(item, index)
  }

  #firstBelow(index: number): number {
    const [left, right] = [2 * index + 1, 2 * index + 2]
    const [one, other] = [this.#items[left], this.#items[right]]
    return one !== undefined && other !== undefined && this.#isBefore(other, one) ? right : left
  }

  #put(item: Item, index: number) {
    this.#items[index] = item
    this.#indexes.set(item, index)
  }
}
