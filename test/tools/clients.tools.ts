import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { specification } from '../support/specification.ts'
import { folderWithDocument, program, runTool } from './support.ts'
import { generating } from './tool-list.ts'

const { document, path: folder, remove } = folderWithDocument('https://developers.example.org')
afterAll(remove)
const at = (name: string) => join(folder, name)

type Generator = [tool: string, output: string, path: string, ...words: string[]]

function orval(client: 'fetch' | 'axios'): Generator {
  const output = `orval-${client}.ts`
  return [
    `orval with ${client}`,
    output,
    program('orval'),
    '--input',
    document,
    '--output',
    at(output),
    '--client',
    client,
  ]
}

function swagger(client: 'fetch' | 'axios', ...more: string[]): Generator {
  const output = `swagger-${client}.ts`
  const tool = 'swagger-typescript-api'
  return [
    `${tool} with ${client}`,
    output,
    program(tool),
    'generate',
    '-p',
    document,
    '-o',
    folder,
    '-n',
    output,
    ...more,
  ]
}

/** What generates from the document, and where to: whoever adds one adds a line, and one in `tool-list.ts`. */
const generators: Generator[] = [
  ['hey-api', 'hey-api', program('openapi-ts', true), '-i', document, '-o', at('hey-api')],
  [
    'openapi-typescript',
    'openapi-typescript.ts',
    program('openapi-typescript'),
    document,
    '-o',
    at('openapi-typescript.ts'),
  ],
  orval('fetch'),
  orval('axios'),
  swagger('fetch'),
  swagger('axios', '--axios'),
  ['Redocly', 'redocly.ts', program('redocly', true), 'generate-client', document, '--output', at('redocly.ts')],
  [
    'openapi-mcp-generator',
    'mcp',
    program('openapi-mcp-generator'),
    '--input',
    document,
    '--output',
    at('mcp'),
    '--force',
  ],
]

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'ES2023',
  module: 'ESNext',
  moduleResolution: 'bundler',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  esModuleInterop: true,
  skipLibCheck: true,
}

let complaints: string[] = []
beforeAll(async () => {
  for (const [tool, , path, ...words] of generators) {
    const { status, output } = await runTool(path, ...words)
    expect(status, `${tool}: ${output}`).toBe(0)
  }
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  const { output } = await runTool(program('tsc', true), '-p', folder)
  complaints = output.split('\n').filter((line) => line.includes('error TS'))
})

test('all are run that the guide names', () => {
  expect(generators.map(([tool]) => tool)).toEqual(generating.map(({ name }) => name))
})

describe.each(generators)('what %s makes of the document', (_tool, output) => {
  test('compiles strictly', () => {
    expect(complaints.filter((line) => line.includes(`/${output}`) || line.startsWith(output))).toEqual([])
  })

  test('has every operation by its name', () => {
    const text = textOf(at(output))
    for (const { operationId } of operationsOf(document)) expect(text).toMatch(new RegExp(`\\b${operationId}\\b`, 'i'))
  })
})

test('nothing else is wrong with what was generated', () => {
  expect(complaints).toEqual([])
})

function operationsOf(file: string): { operationId: string }[] {
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  expect(operations).toHaveLength(specification.length)
  return operations
}

/** A file, or all files of a folder. */
function textOf(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8')
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return names.map((name) => readFileSync(join(path, name), 'utf8')).join('\n')
}
