/** A source of numbers from 0 to 1 that a seed repeats. */
export type Random = () => number

/** mulberry32, a generator of 32 bits of state. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <One>(random: Random, list: readonly One[]): One => list[Math.floor(random() * list.length)] as One // no list here is empty

/** The part of JSON Schema that our documents use. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  examples?: unknown[]
  example?: unknown
}

const CHARACTERS = [
  'a',
  'Z',
  '0',
  '_',
  '-',
  ' ',
  'é',
  'ß',
  'ﬀ',
  '日',
  '😀',
  '👩‍👩‍👧',
  '\u0301',
  '\u202e',
  '"',
  '\\',
  '%',
  '&',
  '+',
  '/',
]

/** What the service knows of a name, such as the rooms of `room_name`. */
export type Known = (name: string) => readonly unknown[]

/** Values that a schema allows, what is known among them. */
export class Values {
  readonly #random: Random
  readonly #resolve: (schema: Schema) => Schema
  readonly #known: Known

  constructor(random: Random, resolve: (schema: Schema) => Schema, known: Known) {
    this.#random = random
    this.#resolve = resolve
    this.#known = known
  }

  allowed(given: Schema, name = ''): unknown {
    const schema = this.#resolve(given)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return pick(this.#random, schema.enum)
    const known = this.#known(name)
    if (known.length > 0 && this.#random() < 0.8) return pick(this.#random, known)
    const either = schema.anyOf ?? schema.oneOf
    return either ? this.allowed(pick(this.#random, either), name) : this.#ofType(schema)
  }

  #ofType(schema: Schema): unknown {
    const type = Array.isArray(schema.type) ? pick(this.#random, schema.type) : schema.type
    if (type === undefined) return this.wild()
    const makers: Record<string, () => unknown> = {
      object: () => this.#object(schema),
      array: () => this.#array(schema),
      integer: () => this.#integer(schema),
      number: () => this.#integer(schema),
      boolean: () => this.#random() < 0.5,
      null: () => null,
    }
    const make = makers[type]
    return make ? make() : this.#string(schema)
  }

  /** Something that no schema had in mind. */
  wild(): unknown {
    return pick<() => unknown>(this.#random, [
      () => null,
      () => '',
      () => '\0',
      () => ' ',
      () => '\ud800',
      () => 'x'.repeat(Math.floor(this.#random() * 20_000)),
      () => this.#text(Math.floor(this.#random() * 600)),
      () => Math.floor((this.#random() - 0.5) * 2 ** 54),
      () => this.#random() * 1e300,
      () => -1,
      () => true,
      () => [],
      () => ({}),
      () => ({ constructor: 1, __proto__: null }),
      () => Array.from({ length: 50 }, () => this.#text(3)),
      () => nested(40),
      () => "'; drop table users; --",
      () => '../../etc/passwd',
      () => 'https://example.com/\u2028#x',
      () => '9'.repeat(400),
      () => '2026-02-30T25:61:00Z',
    ])()
  }

  #object({ properties = {}, required = [] }: Schema): Record<string, unknown> {
    const names = Object.keys(properties).filter((name) => required.includes(name) || this.#random() < 0.5)
    return Object.fromEntries(names.map((name) => [name, this.allowed(properties[name] ?? {}, name)]))
  }

  #array({ items = {}, minItems = 0, maxItems = 5 }: Schema): unknown[] {
    const length = minItems + Math.floor(this.#random() * (Math.min(maxItems, minItems + 5) - minItems + 1))
    return [...new Set(Array.from({ length }, () => this.allowed(items)))]
  }

  #integer({ minimum = -1_000, maximum = 1_000_000 }: Schema): number {
    return pick(this.#random, [minimum, maximum, minimum + Math.floor(this.#random() * (maximum - minimum + 1))])
  }

  #string(schema: Schema): string {
    const { format = '', example, examples, minLength = 0, maxLength = 300, pattern } = schema
    const formatted = this.#formats[format]
    if (formatted) return formatted()
    const shown = [example, ...(examples ?? [])].filter((one) => typeof one === 'string')
    if (pattern !== undefined || (shown.length > 0 && this.#random() < 0.5)) return String(shown[0] ?? this.#word(8))
    const most = pick(this.#random, [minLength, minLength + 1, 20, maxLength])
    const length = Math.min(maxLength, Math.max(minLength, most))
    return this.#random() < 0.5 ? this.#word(length) : this.#text(length)
  }

  readonly #formats: Record<string, () => string> = {
    uri: () => `https://receiver-${Math.floor(this.#random() * 1e6)}.example/${this.#word(5)}`,
    'date-time': () => new Date(Date.now() + (this.#random() - 0.5) * 1e10).toISOString(),
  }

  #word(length: number): string {
    return Array.from({ length }, () => pick(this.#random, [...'abcdefghijklmnopqrstuvwxyz0123456789_'])).join('')
  }

  /** So many code points of all kinds; none of them is a space at an end. */
  #text(length: number): string {
    const text = Array.from({ length }, () => [...pick(this.#random, CHARACTERS)][0]).join('')
    return text.replace(/^ | $/g, 'x')
  }
}

/** A value as it stands in a form or an address. */
export const textOf = (value: unknown): string =>
  (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed()

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
