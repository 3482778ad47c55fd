export type Page<Item> = {
  items: Item[]
  /** The cursor of the next page; absent on the last one. */
  next?: string | undefined
}

/** A list that is longer than one answer: `for await` walks its items and asks for pages as it goes. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>
  readonly #start: string | undefined

  constructor(read: (cursor: string | undefined) => Promise<Page<Item>>, start: string | undefined) {
    this.#read = read
    this.#start = start
  }

  /** The page at `cursor`, or the first one. */
  page(cursor = this.#start): Promise<Page<Item>> {
    return this.#read(cursor)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let cursor = this.#start
    do {
      const page: Page<Item> = await this.page(cursor)
      yield* page.items
      cursor = page.next
    } while (cursor !== undefined)
  }
}

/** What the `Link` to the next page has as a parameter. */
export function nextIn(response: Response, parameter: string): string | undefined {
  const [, target] = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  return target === undefined
    ? undefined
    : (new URL(target, 'http://localhost').searchParams.get(parameter) ?? undefined)
}

/** What an answer of ours holds, which its operation says: not every platform’s types let JSON be anything. */
export async function jsonOf<Body>(response: Response): Promise<Body> {
  return (await response.json()) as Body
}
