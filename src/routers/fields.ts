import * as z from 'zod'
import { isWebAddress } from '../domain/core/url.ts'

/** Every string that a caller gives. PostgreSQL cannot store a NUL, so none is let in. */
export const text = () =>
  z
    .string()
    .min(1, 'must not be empty')
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine(isWellFormed, 'must be well-formed Unicode')

/** A text of at most `max` characters. Left out, nothing changes; empty or null removes what was there. */
export const shortText = (max: number) =>
  z
    .string()
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine(isWellFormed, 'must be well-formed Unicode')
    .nullish()

/** The address of a picture, with the same rules; only the web may be linked to. */
export const imageUrl = () =>
  shortText(2048).refine((value) => !value || isWebAddress(value), 'must be an absolute http(s) URL')

/** A path parameter: it arrives percent-encoded. What cannot be decoded stays as it is and names nothing. */
export const pathParameter = () => z.string().min(1).overwrite(decode)

/** A list of items and the cursor of the next page. REST shows the items as `data` and the cursor as a `Link`. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable() })

/** What every list takes. */
export const paging = () => ({
  limit: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(100, 'must be at most 100')
    .default(100)
    .meta({ description: 'How many items a page has at most.' }),
  cursor: z
    .string()
    .optional()
    .meta({ description: 'Where the page begins: take it from the `Link` header of the page before.' }),
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
