import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createClient as generateClient } from '@hey-api/openapi-ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { callEveryOperation, credentialsOf } from '../support/every-operation.ts'
import { freePort } from '../support/free-port.ts'
import { specification } from '../support/specification.ts'
import { environmentOfTools, folderWithDocument, program } from './support.ts'

const app = await createTestApp()
const folder = folderWithDocument(app.base)
const port = await freePort()
const words = [program('prism'), 'proxy', folder.document, app.base, '--port', String(port)]
const prism = spawn(process.execPath, words, { env: environmentOfTools, stdio: ['ignore', 'pipe', 'inherit'] })
const ended = once(prism, 'exit')

/** What Prism says of an exchange that the document does not allow. */
const violationsOf = (response: Response) => response.headers.get('sl-violations')

const listening = new Promise<void>((resolve) => {
  prism.stdout.on('data', (lines) => String(lines).includes('listening') && resolve()) // read on, or it would end
})

beforeAll(() => Promise.race([listening, ended.then(() => Promise.reject(new Error('Prism has ended')))]))
afterAll(async () => {
  prism.kill()
  await ended
  folder.remove()
  await app[Symbol.asyncDispose]()
})

describe('Prism, between a client and the service', () => {
  test('sees nothing that the document does not allow', async () => {
    await generateClient({ input: folder.document, output: join(folder.path, 'client'), logs: { level: 'silent' } })
    const sdk = await import(join(folder.path, 'client', 'sdk.gen.ts'))
    const { client } = await import(join(folder.path, 'client', 'client.gen.ts'))
    const credentials = await credentialsOf(app)
    client.setConfig({ baseUrl: `http://127.0.0.1:${port}`, auth: credentials.auth })
    const responses = await callEveryOperation(app, sdk, credentials)
    expect(Object.keys(responses)).toHaveLength(specification.length)
    for (const [name, response] of Object.entries(responses))
      expect([name, violationsOf(response)]).toEqual([name, null])
  })

  test('sees a request that it does not allow', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/channels/?limit=0`)
    expect([response.status, violationsOf(response)]).toEqual([401, expect.stringContaining('limit')])
  })
})
