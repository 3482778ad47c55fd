import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = new URL('../../src', import.meta.url).pathname
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** The names that a text selects as text though they are none, and orders by as they are selected. */
function orderedAsText(sql: string): string[] {
  const shown = [...sql.matchAll(/(?:::text|\}) as "?(\w+)"?/g)].map(([, name = '']) => name)
  const orders = [...sql.matchAll(/order by ([^()`]*)/g)].map(([, by = '']) => by)
  return shown.filter((name) => orders.some((by) => new RegExp(`(?<![.\\w])${name}\\b`).test(by)))
}

test('no statement orders by a number or a time that it has made a text of', () => {
  expect(orderedAsText('select n::text as n from t order by n'), 'it can be seen').toEqual(['n'])
  expect(orderedAsText('select t.n::text as n from t order by t.n')).toEqual([])
  const texts = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/`[^`]*`|'[^'\n]*'/g)].map(([text]) => ({ file, text })),
  )
  expect(texts.filter(({ text }) => orderedAsText(text).length > 0)).toEqual([])
})
