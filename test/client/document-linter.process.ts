import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { temporaryFolder } from '../support/folder.ts'

vi.setConfig({ testTimeout: 60_000 }) // the linter takes as long to start as many tests together

test('the document passes the linter of Redocly without an error', async () => {
  using folder = temporaryFolder()
  const document = join(folder.path, 'openapi.json')
  writeFileSync(document, JSON.stringify(createDocument('https://api.example.com')))
  const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const lint = [cli, 'lint', document, '--config=redocly.yaml', '--format=json']
  const { stdout } = await promisify(execFile)(process.execPath, lint, { env })
  expect(JSON.parse(stdout).totals.errors).toBe(0)
})
