import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { expect, test } from 'vitest'

const { options, forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')

// it reads all sources at once: minutes where others compute beside it
test('layers and rooms of the domain import only downwards, nothing in a circle, and packages stay where they live', {
  timeout: 300_000,
}, async () => {
  const { output } = await cruise(['src'], { ...options, cache: CRUISED, validate: true, ruleSet: { forbidden } })
  const { modules, summary } = output as ICruiseResult
  const ours = modules.map(({ source }) => source).filter((source) => /^src\/.*\.tsx?$/.test(source))

  expect(ours.toSorted()).toEqual(sourceFiles()) // a cruise that finds no modules finds no violations either
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([])
})

/** What was found is kept until a source or a rule changes: five seconds of every run. */
const CRUISED = { folder: 'node_modules/.cache/dependency-cruiser', strategy: 'content', compress: false } as const

test('no folder is a drawer: 25 files at most', () => {
  const sizes = new Map<string, number>()
  for (const file of sourceFiles()) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  expect([...sizes].filter(([, files]) => files > FLAT_MAX)).toEqual([])
})

const FLAT_MAX = 25

test('no file is too long to be read in one go: 250 lines at most, those of tests too', () => {
  const files = [...sourceFiles(), ...filesIn('test').filter((name) => name.endsWith('.ts'))]
  const lengths = files.map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1] as const)
  expect(lengths.length).toBeGreaterThan(500) // no file found would be no long one
  expect(lengths.filter(([, lines]) => lines > LINES_MAX)).toEqual([])
})

const LINES_MAX = 250

test('an exported name stands for one thing, so that whoever looks for it finds one; the console has names of its own', () => {
  const files = new Map<string, string[]>()
  for (const file of sourceFiles().filter((name) => !name.startsWith('src/client/console/'))) {
    for (const name of exportedBy(file)) files.set(name, [...(files.get(name) ?? []), file])
  }
  expect(files.size).toBeGreaterThan(500) // nothing found would be nothing found twice
  expect([...files].filter(([, places]) => places.length > 1)).toEqual([])
})

test('the service asks parseUrl, not URL.canParse, which Node 20 answers wrongly once it is optimised; browsers may', () => {
  const asks = (file: string) => /^(?!\s*(?:\*|\/\/)).*\bcanParse\b/m.test(readFileSync(file, 'utf8'))
  expect(sourceFiles().filter(asks)).toEqual(['src/client/console/developer/webhooks/check-url.ts'])
})

test('a test that a document cites is there', () => {
  const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs')]
  const cited = documents
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...readFileSync(name, 'utf8').matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path))
  expect(cited.length).toBeGreaterThan(20)
  expect(cited.filter((path) => !existsSync(path))).toEqual([])
})

/** What a file declares and exports under a name; what it passes on (`export * from`, `export type { … }`) has its name there. */
function exportedBy(file: string): Set<string> {
  const declared =
    /^export (?:abstract |async |declare )*(?:class|const enum|const|enum|function\*?|interface|let|type) (\w+)/gm
  return new Set([...readFileSync(file, 'utf8').matchAll(declared)].map(([, name = '']) => name)) // a function may have overloads
}

const sourceFiles = () => filesIn('src').filter((name) => /\.tsx?$/.test(name))

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted()

test.each([
  ['made of others by AbortSignal.any, which loses timeouts: LinkedController keeps them', /\bAbortSignal\.any\(/],
  [
    "given to a fetch that refuses redirects, which forgets it while it reads: 'manual' does not",
    /\bredirect: 'error'/,
  ],
  ['given to a Request, which forgets it before its fetch ends: fetch does not', /\bnew Request\(.*\bsignal\b/],
])('no signal is %s', (_, pattern) => {
  const files = [...sourceFiles(), ...filesIn('test'), ...filesIn('sdk/typescript/src')].filter((name) =>
    /\.tsx?$/.test(name),
  )
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n')
  const isCode = (line: string) => !/^\s*(?:\*|\/[/*])/.test(line)
  const callers = files.filter((file) => lines(file).some((line) => isCode(line) && pattern.test(line)))
  expect(callers.filter((file) => file !== 'test/architecture.test.ts')).toEqual([])
})

test('what a test waits for may take long on a slow machine: expect.poll knows how long, vi.waitUntil and vi.waitFor are told', () => {
  const calls = filesIn('test')
    .filter((name) => name.endsWith('.ts'))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/(?=\bvi\.wait(?:Until|For)\()/)
        .slice(1)
        .map((call) => `${file}: ${call}`),
    )
  expect(calls.length).toBeGreaterThan(20)
  expect(calls.filter((call) => !PATIENT_CALL.test(call)).map((call) => call.split('\n', 1)[0])).toEqual([])
})

/** The first line that ends a call, by its indentation or at once, ends it with more than what is waited for. */
const PATIENT_CALL =
  /^[^\n]*(?:, (?:[\w.]+|\d[\d_]*|\{[^{}]*timeout[^{}]*\})\)|\(\n(?:\s+[^\n]*\n)+?\s*(?:[\w.]+|\{[^{}]*timeout[^{}]*\}),?\n\s*\))/
