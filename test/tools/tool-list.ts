import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A tool that a test runs over the document; `package` where it is called otherwise. */
type Tool = { name: string; package?: string; does: string }

/** What generates from the document: `clients.tools.ts` runs each of these, and the guide shows them. */
export const generating: readonly Tool[] = [
  { name: 'hey-api', package: '@hey-api/openapi-ts', does: 'a client in TypeScript with `fetch`' },
  { name: 'openapi-typescript', does: 'types in TypeScript' },
  { name: 'orval with fetch', package: 'orval', does: 'functions in TypeScript with `fetch`' },
  { name: 'orval with axios', package: 'orval', does: 'functions in TypeScript with `axios`' },
  {
    name: 'swagger-typescript-api with fetch',
    package: 'swagger-typescript-api',
    does: 'a class in TypeScript with `fetch`',
  },
  {
    name: 'swagger-typescript-api with axios',
    package: 'swagger-typescript-api',
    does: 'a class in TypeScript with `axios`',
  },
  { name: 'Redocly', package: '@redocly/cli', does: 'a client in TypeScript' },
  { name: 'openapi-mcp-generator', does: 'a server for language models (MCP)' },
]

/** What reads the document without making code of it; `document.tools.ts`, `proxy.tools.ts` and `fuzz.tools.ts` run them. */
export const reading: readonly Tool[] = [
  { name: 'Redocly', package: '@redocly/cli', does: 'lints it' },
  { name: 'Spectral', package: '@stoplight/spectral-cli', does: 'lints it' },
  { name: 'Prism', package: '@stoplight/prism-cli', does: 'a proxy that checks requests and answers against it' },
  { name: 'json-schema-faker', does: 'makes requests of all that its schemas allow, for Prism to judge' },
  { name: 'openapi-schema-validator', package: '@seriousme/openapi-schema-validator', does: 'judges it by its schema' },
  { name: 'openapi-down-convert', package: '@apiture/openapi-down-convert', does: 'turns it down to OpenAPI 3.0' },
]

type Manifest = { dependencies?: Record<string, string>; devDependencies?: Record<string, string> }

function versions(): Record<string, string> {
  const root = join(import.meta.dirname, '../..')
  const manifests = ['package.json', 'tools/package.json'].map(
    (file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest,
  )
  return Object.assign({}, ...manifests.flatMap((one) => [one.dependencies, one.devDependencies]))
}

/** The rows of a table of the guide, with the versions that are tried. */
export function rowsOf(tools: readonly Tool[]): string {
  const known = versions()
  return tools
    .map(({ name, package: id = name, does }) => `| ${name} (\`${id}\`) | ${known[id] ?? 'unknown'} | ${does} |\n`)
    .join('')
}
