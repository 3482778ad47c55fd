import * as z from 'zod'
import { isWebAddress } from '../domain/core/url.ts'

/** Every string that a caller gives. PostgreSQL cannot store a NUL, so none is let in. */
export const text = () =>
  z
    .string()
    .min(1, 'must not be empty')
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine(isWellFormed, 'must be well-formed Unicode')

const ITEMS_MAX = 100

/** A list that a caller gives. Bounded first: each of thousands of wrong items would cost an issue of its own. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).max(ITEMS_MAX, `must have at most ${ITEMS_MAX} items`)

/** A text of at most `max` characters. Left out, nothing changes; empty or null removes what was there. */
export const shortText = (max: number) =>
  z
    .string()
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine(isWellFormed, 'must be well-formed Unicode')
    .meta({ maxLength: max })
    .nullish()

/** The address of a picture, with the same rules; only the web may be linked to. */
export const imageUrl = () =>
  shortText(2048).refine(
    (value) => !value || isWebAddress(value),
    'must be an http or https URI, with all else percent-encoded',
  )

/** A path parameter: it arrives percent-encoded. What cannot be decoded stays as it is and names nothing. */
export const pathParameter = (description: string, example: string) =>
  z.string().min(1).overwrite(decode).meta({ description, example })

/** A whole number within bounds. */
export const wholeNumber = (min: number, max: number) =>
  z.number().int('must be a whole number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)

/** A list of items and the cursor of the next page. REST shows the items as `data` and the cursor as a `Link`. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable() })

/** What every list takes. Of what is optional the document shows what is said within. */
export const paging = () => ({
  limit: wholeNumber(1, 100).default(100).meta({ description: 'How many items a page has at most.' }),
  cursor: text()
    .meta({ description: 'Where the page begins: take it from the `Link` header of the page before.' })
    .optional(),
})

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** Half of a surrogate pair has no bytes in UTF-8, so it could not be kept as it was sent. */
function isWellFormed(value: string): boolean {
  return value.isWellFormed()
}
