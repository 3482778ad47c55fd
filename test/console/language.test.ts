import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const CONSOLE = 'src/client/console'

test('numbers and dates are English like the words around them, whatever language the browser speaks', () => {
  const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(CONSOLE, name), 'utf8'))
  const formatters = sources.flatMap((source) => source.match(/Intl\.\w+\([^,)]*/g) ?? [])
  expect(formatters.length).toBeGreaterThan(3)
  expect(formatters.filter((formatter) => !formatter.endsWith("('en'"))).toEqual([])
  expect(sources.flatMap((source) => source.match(/\.toLocale\w*String/g) ?? [])).toEqual([])
})
