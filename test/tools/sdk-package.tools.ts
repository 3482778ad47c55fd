import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const KB = 1_000
const project = join(import.meta.dirname, '../..')
const tsc = join(project, 'node_modules/typescript/bin/tsc')
const outside = mkdtempSync(join(tmpdir(), 'sdk-'))
let tarball: string

const run = (cwd: string, file: string, ...words: string[]) => execFileSync(file, words, { cwd, encoding: 'utf8' })

beforeAll(() => {
  tarball = join(project, run(project, process.execPath, 'pack-sdk.mjs').trim())
  writeFileSync(join(outside, 'package.json'), '{ "type": "module", "private": true }')
  run(outside, 'npm', 'install', '--offline', '--no-audit', '--no-fund', tarball)
})
afterAll(() => rmSync(outside, { recursive: true, force: true }))

describe('@developer-api/sdk, from its tarball', () => {
  test('depends on nothing, and is as small as its README says', async () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(outside, 'node_modules/@developer-api/sdk/package.json'), 'utf8'),
    )
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined])
    expect(readFileSync(tarball).length).toBeLessThan(28 * KB)
    const entry = join(outside, 'node_modules/@developer-api/sdk/dist/index.js')
    const lib = { entry, formats: ['es' as const], fileName: 'all' }
    const output = await build({ configFile: false, logLevel: 'error', root: outside, build: { write: false, lib } })
    const [{ output: chunks } = { output: [] }] = [output].flat() as { output: { type: string; code?: string }[] }[]
    const code = chunks.map((chunk) => chunk.code ?? '').join('')
    expect(gzipSync(code).length).toBeGreaterThan(2 * KB)
    expect(gzipSync(code).length).toBeLessThan(8 * KB)
    expect(code).not.toMatch(/from\s*["']node:|require\(/) // nor on a platform
  })

  test.each(['nodenext', 'bundler'])('is checked whole by TypeScript, as %s resolves modules', (moduleResolution) => {
    writeFileSync(
      join(outside, 'program.ts'),
      `import { DeveloperApi, webhooks, type WebhookEvent } from '@developer-api/sdk'
const api = new DeveloperApi({ baseUrl: 'http://localhost', credential: 'x' })
export async function run(headers: Headers, body: Uint8Array<ArrayBuffer>) {
  for await (const event of api.events.follow({ types: ['chat.message.sent', 'livestream.started'] })) {
    if (event.type === 'chat.message.sent') await api.chat.send({ room_name: event.data.room_name, content: 'x' })
    // @ts-expect-error a live stream has no content
    else event.data.content
  }
  const event: WebhookEvent = await webhooks.unwrap('whsec_', headers, body)
  // @ts-expect-error no such type
  if (event.type === 'no.such.type') return
  // @ts-expect-error no such field
  await api.channels.list({ page: 2 }).page()
}
`,
    )
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
    const lib = ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable']
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
      types: [],
      lib,
      module,
      moduleResolution,
    }
    writeFileSync(join(outside, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    expect(run(outside, process.execPath, tsc)).toBe('')
  })
})
