import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Parser } from '@asyncapi/parser'
import { expect, test, vi } from 'vitest'
import { subscribableTypes } from '../../src/domain/events/types.ts'
import { createAsyncApiDocument } from '../../src/rest/asyncapi/asyncapi.ts'
import { createDocument, createExtensionsDocument } from '../../src/rest/openapi/document.ts'
import { temporaryFolder } from '../support/folder.ts'

vi.setConfig({ testTimeout: 60_000 }) // the linter takes as long to start as many tests together

test.each([
  ['the specification', createDocument],
  ['what is beyond it', createExtensionsDocument],
])('the document of %s passes the linter of Redocly without an error', async (_, create) => {
  using folder = temporaryFolder()
  const document = join(folder.path, 'openapi.json')
  writeFileSync(document, JSON.stringify(create('https://api.example.com')))
  const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const lint = [cli, 'lint', document, '--config=redocly.yaml', '--format=json']
  const { stdout } = await promisify(execFile)(process.execPath, lint, { env })
  expect(JSON.parse(stdout).totals.errors).toBe(0)
})

test('the document of the events is AsyncAPI, by its own parser', async () => {
  const { document, diagnostics } = await new Parser().parse(
    JSON.stringify(createAsyncApiDocument('https://api.example.com')),
  )
  expect(diagnostics.filter(({ severity }) => severity === 0)).toEqual([])
  const names = (id: string) =>
    document
      ?.channels()
      .get(id)
      ?.messages()
      .all()
      .map((message) => message.name())
  expect(names('feed')?.toSorted()).toEqual([...subscribableTypes, 'end', 'progress'].toSorted())
  expect(names('webhooks')?.toSorted()).toEqual([...subscribableTypes, 'webhook.test'].toSorted())
})
