import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as bundle } from 'vite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { build } from '../support/process.ts'

const EVER = /(?:from|import\() ?"\.\/([^"]+\.js)"/g
const AT_START = /^(?:import|export)\b[^;]*?"\.\/([^"]+\.js)";/gm

/** What a built file imports, ever or at its start, and what those import. */
function filesFrom(name: string, imports: RegExp, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(`dist/${name}`, 'utf8')
  for (const [, next = ''] of text.matchAll(imports)) filesFrom(next, imports, seen)
  return seen
}

test('the service runs tRPC as it is written, not as it is compiled for old browsers', () => {
  build()
  const files = [...filesFrom('main.js', EVER)].map((name) => readFileSync(`dist/${name}`, 'utf8'))
  expect(files.some((text) => text.includes('function callRecursive('))).toBe(true)
  expect(files.filter((text) => text.includes('_objectSpread2'))).toEqual([])
})

test('the command line reads next to nothing before it knows the command: not the database, the log or the service', () => {
  build()
  const files = [...filesFrom('cli.js', AT_START)]
  const bytes = files.reduce((sum, name) => sum + statSync(`dist/${name}`).size, 0)
  expect(files.length).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(300_000)
  const texts = files.map((name) => readFileSync(`dist/${name}`, 'utf8')).join()
  expect(texts).toContain('CommanderError')
  for (const word of ['drizzle', 'webhook_deliveries', 'pino']) expect(texts).not.toContain(word)
})

/** Bundlers know that these change nothing, and not that they may throw. */
const THROWING = [
  "decodeURIComponent('%FF')",
  "encodeURIComponent('\\ud800')",
  "new URL('nowhere')",
  "BigInt('no')",
  "new RegExp('(')",
  "new Intl.NumberFormat('no_locale')",
  "'x'.repeat(-1)",
  "JSON.parse('{')",
]

test('what is called for its exception alone is still called once it is bundled', async () => {
  using folder = temporaryFolder()
  const probe = join(folder.path, 'probe.js')
  const outDir = join(folder.path, 'built')
  const calls = THROWING.map((call) => `() => { try { ${call}; return false } catch { return true } }`)
  const inLoop =
    "() => { try { for (const [one] of '%FF'.matchAll(/.+/g)) decodeURIComponent(one); return false } catch { return true } }"
  writeFileSync(probe, `export const thrown = [${[...calls, inLoop].join()}].map((ask) => ask())`)
  await bundle({
    configFile: 'vite.service.config.ts',
    logLevel: 'error',
    build: { outDir, rollupOptions: { input: { main: probe, cli: probe } } },
  })
  const { thrown } = await import(join(outDir, 'main.js'))
  expect(thrown).toEqual([...THROWING, inLoop].map(() => true))
})
