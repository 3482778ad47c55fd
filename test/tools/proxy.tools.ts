import { join } from 'node:path'
import { createClient as generateClient } from '@hey-api/openapi-ts'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { callEveryOperation, credentialsOf } from '../support/every-operation.ts'
import { specification } from '../support/specification.ts'
import { folderWithDocument, startPrism, violationsOf } from './support.ts'

const app = await createTestApp()
const folder = folderWithDocument(app.base)
const prism = await startPrism(folder.document, app.base)
afterAll(async () => {
  await prism[Symbol.asyncDispose]()
  folder.remove()
  await app[Symbol.asyncDispose]()
})

describe('Prism, between a client and the service', () => {
  test('sees nothing that the document does not allow', async () => {
    await generateClient({ input: folder.document, output: join(folder.path, 'client'), logs: { level: 'silent' } })
    const sdk = await import(join(folder.path, 'client', 'sdk.gen.ts'))
    const { client } = await import(join(folder.path, 'client', 'client.gen.ts'))
    const credentials = await credentialsOf(app)
    client.setConfig({ baseUrl: prism.base, auth: credentials.auth })
    const responses = await callEveryOperation(app, sdk, credentials)
    expect(Object.keys(responses)).toHaveLength(specification.length)
    for (const [name, response] of Object.entries(responses))
      expect([name, ...violationsOf(response, 'request'), ...violationsOf(response, 'response')]).toEqual([name])
  })

  test('sees a request that it does not allow', async () => {
    const response = await fetch(`${prism.base}/v1/channels/?limit=0`)
    expect(violationsOf(response, 'request')).toContainEqual(expect.stringContaining('limit'))
  })
})
