import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient as generateClient } from '@hey-api/openapi-ts'
import { afterAll, expect, test } from 'vitest'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { createTestApp } from '../support/app.ts'
import { callEveryOperation, credentialsOf } from '../support/every-operation.ts'
import { specification } from '../support/specification.ts'

/** What a third party does: take the document, generate a client from it, call everything. */
const folder = mkdtempSync(join(import.meta.dirname, '.generated-'))
const app = await createTestApp()
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
const document = join(folder, 'openapi.json')
writeFileSync(document, JSON.stringify(createDocument(app.base)))

test('a generated client calls every operation', async () => {
  await generateClient({ input: document, output: join(folder, 'client'), logs: { level: 'silent' } })
  const sdk = await import(join(folder, 'client', 'sdk.gen.ts'))
  const { client } = await import(join(folder, 'client', 'client.gen.ts'))
  const credentials = await credentialsOf(app)
  client.setConfig({ baseUrl: app.base, auth: credentials.auth })
  const responses = await callEveryOperation(app, sdk, credentials)
  const statuses = Object.values(responses).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual(specification.map(({ success }) => success).toSorted())
})
