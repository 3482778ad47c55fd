import { Problem } from '../../../domain/core/problem.ts'
import type { Form } from '../../openapi/routes.ts'
import { isPercentEncodedUtf8 } from './percent-encoding.ts'

type Fields = Record<string, unknown>
/** A field of a form, by its name. */
export type FormEntry = readonly [name: string, value: string]

/** More than any operation takes, with the items of its lists; without a bound thousands of names cost more than an answer. */
export const FIELDS_MAX = 200

export const tooManyFields = () => new Problem('invalid_request', `body: may have at most ${FIELDS_MAX} fields.`)

/**
 * The fields of an urlencoded form. A `?` at its beginning is part of a name: only in an address it is none. Throws `invalid_request` for one
 * whose percent-encoded bytes are not UTF-8, and names it.
 */
export function urlencodedEntries(text: string): URLSearchParams {
  checkedPairs(text)
  return new URLSearchParams(`&${text}`)
}

/** The same as pairs, in half the time: only what is encoded goes through the parser of the platform. */
export const urlencodedPairs = (text: string): FormEntry[] =>
  checkedPairs(text)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      return at === -1 ? [decoded(pair), ''] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))]
    })

const decoded = (part: string): string =>
  /[%+]/.test(part) ? (new URLSearchParams(`part=${part}`).get('part') ?? '') : part

function checkedPairs(text: string): string[] {
  const pairs = text.split('&', FIELDS_MAX + 1)
  if (pairs.length > FIELDS_MAX) throw tooManyFields()
  const wrong = isPercentEncodedUtf8(text) ? undefined : pairs.find((pair) => !isPercentEncodedUtf8(pair))
  if (wrong !== undefined) throw new Problem('invalid_request', `${nameOf(wrong)}: must be UTF-8.`)
  return pairs
}

const nameOf = (pair: string) => shownName(pair.replace(/=.*/s, ''))

type Value = string | string[] | null

/**
 * Forms know strings only; the schema says which names are lists (`a=1&a=2`, `a[]=1`) and which may be null (`a=`). Throws
 * `invalid_request` for too many fields, else for one that is given twice, else for a NUL.
 */
export function fieldsOfForm(entries: readonly FormEntry[], form: Form): Fields {
  if (entries.length > FIELDS_MAX) throw tooManyFields()
  const given = new Map<string, Value>()
  for (const [rawName, value] of entries) {
    const name = rawName.endsWith('[]') ? rawName.slice(0, -2) : rawName
    const before = given.get(name)
    if (before === undefined) given.set(name, fieldValue(name, value, form))
    else if (Array.isArray(before)) before.push(value)
    else throw new Problem('invalid_request', `${shownName(name)}: is given twice.`)
  }
  for (const [name, value] of given) refuseNulIn(name, value)
  return Object.fromEntries(given)
}

function fieldValue(name: string, value: string, { lists, nullables }: Form): Value {
  if (lists.has(name)) return [value]
  return value === '' && nullables.has(name) ? null : value
}

/** Throws `invalid_request` for a NUL in any field, also in one that the operation does not know, and names the field. */
export function refuseNul(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) refuseNulIn(name, value)
}

function refuseNulIn(name: string, value: unknown): void {
  if (holdsNul(name) || holdsNul(value)) {
    throw new Problem('invalid_request', `${shownName(name)}: must not contain NUL.`)
  }
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(holdsNul)
}

/** A name that a caller gave, as messages show it: bounded, because a header repeats the message. */
export const shownName = (name: string) => name.replaceAll('\0', '').slice(0, 100)
