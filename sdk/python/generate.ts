// Writes what of the Python package follows from something else: types.py from the documents, what is for threads from what is for
// asyncio.
// `npm run generate:sdk`; a test says when they are old.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wholeDocument } from '../typescript/generate.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: unknown
}

const folder = join(import.meta.dirname, 'developer_api')

/** What is for asyncio, and what is made of it for threads. */
export const twins: Record<string, string> = {
  'aio.py': 'client.py',
  'aio_credentials.py': 'credentials.py',
  'aio_feed.py': 'feed.py',
  'aio_login.py': 'login.py',
}

const words: [RegExp, string][] = [
  [/, for asyncio([.:])/g, '$1'],
  [/ for asyncio\. /g, '. '],
  [/`\w+\.py` is made from this file: see generate\.ts\./, 'Made by generate.ts.'],
  [/\bfrom \.aio import/g, 'from .client import'],
  [/\bfrom \.aio_/g, 'from .'],
  [/asyncio\.sleep/g, 'time.sleep'],
  [/asyncio\.Lock/g, 'threading.Lock'],
  [/AsyncIterator/g, 'Iterator'],
  [/AsyncClient/g, 'Client'],
  [/AbstractAsyncContextManager/g, 'AbstractContextManager'],
  [/\bAsync(\w+)\b/g, '$1'],
  [/__aiter__/g, '__iter__'],
  [/__aenter__/g, '__enter__'],
  [/__aexit__/g, '__exit__'],
  [/\baclose\b/g, 'close'],
  [/\baread\b/g, 'read'],
  [/\baiter_text\b/g, 'iter_text'],
  [/`async for/g, '`for'],
  // what may be waited for, or not, is there
  [/^( +)(\w+) = (.+)\n +if \2 is not None:\n +await \2\n/gm, '$1$3\n'],
  [/return (\w+) if .+ else await \1\b/g, 'return $1'],
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/Union\[(\w+), Awaitable\[\1\]\]/g, '$1'],
  [/Optional\[Awaitable\[None\]\]/g, 'None'],
]

/** A module for asyncio without what waits: the same, by threads in place of tasks. */
export function syncModule(aio: string): string {
  const text = words.reduce((given, [from, to]) => given.replace(from, to), aio)
  const modules = ['threading', 'time'].filter((name) => text.includes(`${name}.`))
  return text
    .replace(/^(import \w+\n)+/m, (block) => sorted([...block.matchAll(/\w+$/gm)].map(String), modules))
    .replace(/^from collections\.abc import (.+)$/m, (_, names: string) => {
      const left = names.split(', ').filter((name) => name !== 'Awaitable')
      return `from collections.abc import ${left.toSorted().join(', ')}`
    })
}

/** Imports of whole modules: those that were there but asyncio, and these. */
function sorted(given: string[], more: string[]): string {
  const names = new Set([...given.filter((name) => name !== 'asyncio'), ...more])
  return [...names]
    .toSorted()
    .map((name) => `import ${name}\n`)
    .join('')
}

/** The resources and events of the documents as dictionaries whose fields are known. */
export function typesModule(): string {
  const schemas = (wholeDocument().components?.schemas ?? {}) as Record<string, Schema>
  const wanted = Object.entries(schemas).filter(([name, { properties }]) => properties && !/Request$|^Error/.test(name))
  const classes = wanted.map(([name, schema]) => typedDict(name, schema))
  const events = wanted
    .map(([name]) => name)
    .filter((name) => /Event$/.test(name) && !/^(Other|WebhookTest)/.test(name))
  return `"""What the API answers. Made from its documents by generate.ts."""

from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict, Union


class ChannelName(TypedDict):
    id: str
    username: str


${classes.join('\n\n')}

#: What happened in a channel; \`type\` tells which. More will come: leave a branch for what your program does not know.
FeedEvent = Union[
${events.map((name) => `    ${name},`).join('\n')}
]
WebhookEvent = Union[FeedEvent, WebhookTestEvent]
`
}

function typedDict(name: string, { properties = {} }: Schema): string {
  const fields = Object.entries(properties).map(([field, schema]) => `    ${field}: ${typeOf(schema)}`)
  return `class ${name}(TypedDict):\n${fields.join('\n')}\n`
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return literal([schema.const])
  if (schema.enum?.every((value) => typeof value === 'string')) return literal(schema.enum)
  if (schema.$ref) return schema.$ref.replace(/^.*\//, '')
  if (schema.anyOf) return unionOf(schema.anyOf.map(typeOf))
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type })))
  return simpleOf(schema, schema.type)
}

function simpleOf({ items, properties }: Schema, type = ''): string {
  if (type === 'array') return `list[${typeOf(items ?? {})}]`
  if (type === 'object') return properties?.username ? 'ChannelName' : 'dict[str, Any]'
  return simple[type] ?? 'Any'
}

const simple: Record<string, string> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }

const literal = (values: unknown[]) =>
  `Literal[${values.map((value) => (value === true ? 'True' : JSON.stringify(value))).join(', ')}]`

function unionOf(types: string[]): string {
  const others = types.filter((type) => type !== 'None')
  const union = others.length === 1 ? (others[0] ?? 'Any') : `Union[${others.join(', ')}]`
  return others.length < types.length ? `Optional[${union}]` : union
}

/** Writes all of them. */
function generate() {
  writeFileSync(join(folder, 'types.py'), typesModule())
  for (const [from, to] of Object.entries(twins))
    writeFileSync(join(folder, to), syncModule(readFileSync(join(folder, from), 'utf8')))
}

if (process.argv[1] === import.meta.filename) generate()
