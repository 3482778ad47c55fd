import type { InfiniteData } from '@tanstack/react-query'

type Page<Item> = { items: Item[]; next: string | null }

/** For a list that is read page by page. */
export const byCursor = { getNextPageParam: (last: { next: string | null }) => last.next }

export const itemsOf = <Item>({ pages }: InfiniteData<Page<Item>, unknown>): Item[] =>
  pages.flatMap(({ items }) => items)
