import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { folderWithDocument, program, runTool } from './support.ts'

const folder = folderWithDocument('https://developers.example.org')
afterAll(folder.remove)

/** The slashes are the specification's; what only says whether the service runs has no way to fail that is the caller's. */
const slashes = ['/v1/channels/', '/v1/categories/', '/v1/livestreams/', '/health/']
const withoutInput = ['/health/', '/health/ready', '/']

/** What a validator says of a document by the schema of its version. */
async function isValid(file: string) {
  const { openapi } = JSON.parse(readFileSync(file, 'utf8')) as { openapi: string }
  const { stdout } = await runTool(program('validate-api'), file)
  return { version: openapi.slice(0, 3), ...JSON.parse(stdout) }
}

describe('the document', () => {
  test('is valid OpenAPI 3.1, and valid 3.0 once it is turned down', async () => {
    expect(await isValid(folder.document)).toEqual({ version: '3.1', valid: true })
    const older = join(folder.path, 'openapi-3.0.json')
    const { status, output } = await runTool(program('openapi-down-convert'), '-i', folder.document, '-o', older)
    expect(status, output).toBe(0)
    expect(await isValid(older)).toEqual({ version: '3.0', valid: true })
  })

  test('satisfies Spectral’s rules for OpenAPI, but for the slashes', async () => {
    const rules = join(folder.path, 'spectral.yaml')
    writeFileSync(rules, 'extends: ["spectral:oas"]\n')
    const { stdout } = await runTool(program('spectral'), 'lint', folder.document, '-r', rules, '-f', 'json', '-q')
    const found = (JSON.parse(stdout) as { code: string; path: string[] }[]).map(({ code, path }) => [code, path[1]])
    expect(found.toSorted()).toEqual(slashes.map((path) => ['path-keys-no-trailing-slash', path]).toSorted())
  })

  test('satisfies Redocly’s strict rules, but for the slashes', async () => {
    const rules = join(folder.path, 'redocly.yaml')
    writeFileSync(rules, 'extends: [recommended-strict]\n')
    const lint = ['lint', folder.document, `--config=${rules}`, '--format=json']
    const { stdout } = await runTool(program('redocly', true), ...lint)
    const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; location: { pointer: string }[] }[] }
    const found = problems.map(({ ruleId, location: [at] }) => [
      ruleId,
      at?.pointer.split('/')[2]?.replaceAll('~1', '/'),
    ])
    expect(found.toSorted()).toEqual(
      [
        ...slashes.map((path) => ['no-path-trailing-slash', path]),
        ...withoutInput.map((path) => ['operation-4xx-response', path]),
      ].toSorted(),
    )
  })
})
