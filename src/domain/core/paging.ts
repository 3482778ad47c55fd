import type { Context } from './context.ts'
import { Problem } from './problem.ts'
import { isSame } from './timing-safe.ts'

/** Part of a list, and the cursor of what follows it; `next` is null on the last page. */
export type Page<Item> = { items: Item[]; next: string | null }
export type PageRequest = { limit: number; cursor?: string | undefined }

const MAC_BYTES = 12

/**
 * Makes a page of `list` from `limit + 1` rows: the extra row only proves that there is more. `keyOf` gives the values by
 * which the list is ordered; together they must be unique.
 */
export function toPage<Item>(
  ctx: Context,
  list: string,
  rows: Item[],
  limit: number,
  keyOf: (item: Item) => readonly string[],
): Page<Item> {
  if (rows.length <= limit) return { items: rows, next: null }
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: last === undefined ? null : encodeCursor(ctx, list, keyOf(last)) }
}

/** The ordering values after which the page starts, or undefined for the first page. Throws `invalid_cursor`. */
export function decodeCursor(
  ctx: Pick<Context, 'keyring'>,
  list: string,
  cursor: string | undefined,
  field = 'cursor',
): readonly string[] | undefined {
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(MAC_BYTES)
  const given = bytes.subarray(0, MAC_BYTES)
  const isOurs = macsOf(ctx, list, payload.toString()).some((mac) => isSame(mac.subarray(0, MAC_BYTES), given))
  if (!isOurs || bytes.toString('base64url') !== cursor)
    throw new Problem('invalid_cursor', `${field}: is not a cursor of this list; take it from a \`Link\` header.`)
  return JSON.parse(payload.toString()) as string[]
}

/** Signed, so that its content can be trusted and clients do not rely on its format. */
export function encodeCursor(ctx: Pick<Context, 'keyring'>, list: string, key: readonly string[]): string {
  const payload = JSON.stringify(key)
  const [mac] = macsOf(ctx, list, payload)
  return Buffer.concat([mac.subarray(0, MAC_BYTES), Buffer.from(payload)]).toString('base64url')
}

const macsOf = ({ keyring }: Pick<Context, 'keyring'>, list: string, payload: string) =>
  keyring.macs('cursor', `${list}\0${payload}`)
