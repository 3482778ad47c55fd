import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLiveApp } from '../support/app.ts'
import { findChromium, launchChromium } from '../support/chromium.ts'
import { filesOf } from '../support/documents.ts'
import { expectSize } from '../support/sizes.ts'
import { serveByNext } from './next.ts'
import { expectChecked, installPacked, ours, project, resolutions, run, siteWith, write } from './packed.ts'
import { servePage } from './vite.ts'

const name = '@developer-api/client'
const readme = readFileSync(join(project, 'src/client/README.md'), 'utf8')
const examples = filesOf(readme)
const ofQueries = ['@trpc/tanstack-react-query', '@tanstack/react-query', '@tanstack/query-core']

const chromiumPath = findChromium()
if (!chromiumPath)
  process.stderr.write('There is no Chromium here: the dashboard is not opened (apt install chromium)\n')

const app = await createLiveApp()
let outside: ReturnType<typeof installPacked>
let site: ReturnType<typeof siteWith>

beforeAll(() => {
  outside = installPacked('pack-client.mjs', name, 'eventsource@4')
  site = siteWith({ [outside.path]: [name, '@trpc/client', '@trpc/server'], [project]: ofQueries })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  for (const folder of [outside, site]) folder?.[Symbol.dispose]()
})

describe('@developer-api/client, from its tarball', () => {
  test('is as small as its README says, and names nothing of the service', () => {
    expectSize(outside.packedBytes, readme, /Packed it has less than (\d+) kB/)
    const declarations = outside.read('index.d.ts')
    expect(declarations).not.toMatch(/\b(drizzle|pino|PgDatabase|TargetPolicy|Keyring)\b/)
    const imported = [...declarations.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from)
    expect(imported.filter((from) => !from.startsWith('@trpc/'))).toEqual([])
  })

  test.each(resolutions)('is checked whole by TypeScript, as %s resolves modules', (moduleResolution) => {
    write(outside.path, {
      ...examples,
      'wrong.ts': `import { createClient } from '@developer-api/client'
const api = createClient({ baseUrl: 'http://localhost' })
// @ts-expect-error no such field
export const wrong = api.chat.send.mutate({ room: 'ada', content: 'x' })
// @ts-expect-error not a number
export const number: number = (await api.channels.get.query({ slug: 'ada' })).username
`,
    })
    expectChecked(outside.path, moduleResolution, { types: ['node'], files: ['calls.ts', 'watch.ts', 'wrong.ts'] })
  })

  test.each(resolutions)('is what React Query takes it for, as %s resolves modules', (moduleResolution) => {
    write(site.path, { ...examples, 'env.d.ts': 'interface ImportMeta { env: Record<"VITE_API", string> }' })
    expectChecked(site.path, moduleResolution, { files: ['env.d.ts', 'dashboard.tsx'] })
  })

  test('runs in a script of Node.js: the first example of the README', async () => {
    const ada = await app.user('ada')
    const TOKEN = await app.token(['channel:read', 'chat:write'], { user: ada })
    expect(await runExample('calls', { TOKEN })).toBe("unknown_room\nundefined\n[ 'ada' ]\n")
  })

  test('watches from a script of Node.js: the second example of the README', async () => {
    const bob = await app.user('bob')
    const TOKEN = await app.token(['chat:read', 'chat:write'], { user: bob })
    const output = await runExample('watch', { TOKEN, ROOM: 'bob' }, async () => {
      const body = { room_name: 'bob', content: 'Hello' }
      await app.request('POST /v1/chat/messages', { token: TOKEN, body })
    })
    expect(output).toBe('watching\nsent: Hello\n')
  })

  test('is built by Vite with React, the dashboard of the README too, and adds to a page what the README says', () => {
    const sizeOf = (text: string) => {
      const page = '<script type="module" src="/main.tsx"></script>'
      write(site.path, { 'index.html': page, 'main.tsx': text, '.env': 'VITE_API=https://api.example.com' })
      run(site.path, process.execPath, ours('vite/bin/vite.js'), 'build', '--logLevel', 'error')
      const assets = join(site.path, 'dist/assets')
      const [file = ''] = readdirSync(assets).filter((built) => built.endsWith('.js'))
      return gzipSync(readFileSync(join(assets, file))).length
    }
    const react = `import { createRoot } from 'react-dom/client'\n`
    const without = sizeOf(`${react}createRoot(document.body).render(<p>nobody</p>)`)
    const withClient = sizeOf(`${react}import { createClient } from '@developer-api/client'
const { items } = await createClient({ baseUrl: location.origin }).channels.list.query({})
createRoot(document.body).render(<p>{items.map(({ username }) => username)}</p>)`)
    expectSize(withClient - without, readme, /adds less than (\d+) kB to a page/)
    expect(sizeOf(examples['dashboard.tsx'] ?? '')).toBeGreaterThan(withClient)
  })

  test.skipIf(!chromiumPath)('is the dashboard of the README, in a page at another address', async () => {
    const { id } = await app.user('fay')
    const TOKEN = await app.token(['channel:read'], { user: { id } })
    const page = '<html lang="en"><body><script type="module" src="/dashboard.tsx"></script></body></html>'
    write(site.path, { ...examples, 'index.html': page, '.env': `VITE_API=${app.base}` })
    await using built = await servePage(site.path)
    await using chromium = await launchChromium(chromiumPath ?? '')
    const visitor = await chromium.visit()
    await visitor.page.goto(built.base)
    await visitor.page.locator('p').waitFor() // why it is refused: it has no token yet
    await visitor.page.evaluate(`sessionStorage.setItem('access_token', '${TOKEN}')`)
    await visitor.page.reload()
    await visitor.page.getByText('fay', { exact: true }).waitFor()
  })

  test('is called by a server component of Next.js: the one of the README', async () => {
    const eve = await app.user('eve')
    const TOKEN = await app.token(['channel:read'], { user: eve })
    await using next = await serveByNext(site.path, examples['app/page.tsx'] ?? '', { BASE: app.base })
    expect(await next.show({ cookie: `access_token=${TOKEN}` })).toContain('<li>eve</li>')
  })
})

/** Compiles an example and runs it; `meanwhile` happens when it has written its first line. */
async function runExample(file: string, env: Record<string, string>, meanwhile?: () => Promise<void>) {
  const words = ['--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--ignoreConfig', '--noCheck']
  run(outside.path, process.execPath, ours('typescript/bin/tsc'), `${file}.ts`, ...words)
  return runLong([`${file}.js`], { BASE: app.base, ...env }, meanwhile)
}

/** Without waiting for it in the way: the service that it calls is in this process. */
async function runLong(words: string[], given: Record<string, string>, meanwhile?: () => Promise<void>) {
  const child = spawn(process.execPath, words, { cwd: outside.path, env: { ...process.env, ...given } })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    if (stdout === '') void meanwhile?.()
    stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  expect({ status, stderr: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}
