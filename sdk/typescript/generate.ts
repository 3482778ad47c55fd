// Writes src/generated/types.gen.ts from the documents of the API: `npm run generate:sdk`. A test says when it is old.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { createDocument, createExtensionsDocument } from '../../src/rest/openapi/document.ts'

/** What the specification has and what is beyond it, in one document: to who calls there is one API. */
export function wholeDocument() {
  const [ours, extensions] = [createDocument, createExtensionsDocument].map((create) =>
    create('https://api.example.com'),
  )
  return {
    ...ours,
    paths: { ...ours?.paths, ...extensions?.paths },
    components: { ...ours?.components, schemas: { ...ours?.components?.schemas, ...extensions?.components?.schemas } },
  }
}

/** Generates the types into a folder. */
export async function generateTypes(output: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-'))
  const input = join(folder, 'openapi.json')
  try {
    writeFileSync(input, JSON.stringify(wholeDocument()))
    await createClient({ input, output, logs: { level: 'silent' }, plugins: ['@hey-api/typescript'] })
    rmSync(join(output, 'index.ts'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename) await generateTypes(join(import.meta.dirname, 'src/generated'))
