import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLiveApp } from '../support/app.ts'
import { filesOf } from '../support/documents.ts'
import { program, tools } from './support.ts'

const KB = 1_000
const project = join(import.meta.dirname, '../..')
const tsc = join(project, 'node_modules/typescript/bin/tsc')
const readme = readFileSync(join(project, 'src/client/README.md'), 'utf8')
const examples = filesOf(readme)

/** An empty folder into which the tarball was installed, as another repository has it. */
const outside = mkdtempSync(join(tmpdir(), 'client-'))
/** A folder where Vite, React and Next.js are found as well. */
const site = mkdtempSync(join(tools, '.generated-site-'))
const app = await createLiveApp()
let tarball: string

beforeAll(() => {
  const [packed = ''] = run(project, process.execPath, 'pack-client.mjs').split('\n')
  tarball = join(project, packed)
  write(outside, { 'package.json': JSON.stringify({ type: 'module', private: true }) })
  run(outside, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball, 'eventsource@4')
  for (const name of ['@developer-api/client', '@trpc/client', '@trpc/server'])
    cpSync(join(outside, 'node_modules', name), join(site, 'node_modules', name), { recursive: true })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  for (const folder of [outside, site]) rmSync(folder, { recursive: true, force: true })
})

const run = (cwd: string, file: string, ...words: string[]) =>
  execFileSync(file, words, { cwd, encoding: 'utf8', env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } })

function write(folder: string, files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

describe('@developer-api/client, from its tarball', () => {
  test('is as small as its README says, and names nothing of the service', () => {
    const declarations = readFileSync(join(outside, 'node_modules/@developer-api/client/index.d.ts'), 'utf8')
    expect(readFileSync(tarball).length).toBeLessThan(14 * KB)
    expect(declarations).not.toMatch(/\b(drizzle|pino|PgDatabase|TargetPolicy|Keyring)\b/)
    const imported = [...declarations.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name)
    expect(imported.filter((name) => !name.startsWith('@trpc/'))).toEqual([])
  })

  test.each(['nodenext', 'bundler'])('is checked whole by TypeScript, as %s resolves modules', (moduleResolution) => {
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
    const lib = ['ES2022', 'DOM']
    const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', types: ['node'], lib }
    write(outside, {
      ...examples,
      'wrong.ts': `import { createClient } from '@developer-api/client'
const api = createClient({ baseUrl: 'http://localhost' })
// @ts-expect-error no such field
export const wrong = api.chat.send.mutate({ room: 'ada', content: 'x' })
// @ts-expect-error not a number
export const number: number = (await api.channels.get.query({ slug: 'ada' })).username
`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          ...compilerOptions,
          module,
          moduleResolution,
          typeRoots: [join(project, 'node_modules/@types')],
        },
        include: ['*.ts'],
      }),
    })
    expect(run(outside, process.execPath, tsc)).toBe('')
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

  test('is built by Vite with React, and adds to a page what its README says', () => {
    const page = (text: string) => ({
      'index.html': '<div id="root"></div><script type="module" src="/main.tsx"></script>',
      'main.tsx': `import { createRoot } from 'react-dom/client'\n${text}`,
      'package.json': JSON.stringify({ type: 'module', private: true }),
    })
    const sizeOf = (text: string) => {
      write(site, page(text))
      run(site, process.execPath, join(project, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error')
      const assets = join(site, 'dist/assets')
      const [file = ''] = readdirSync(assets).filter((name) => name.endsWith('.js'))
      return gzipSync(readFileSync(join(assets, file))).length
    }
    const without = sizeOf(`createRoot(document.body).render(<p>nobody</p>)`)
    const withClient = sizeOf(`import { createClient } from '@developer-api/client'
const { items } = await createClient({ baseUrl: location.origin }).channels.list.query({})
createRoot(document.body).render(<p>{items.map(({ username }) => username)}</p>)`)
    expect(withClient - without).toBeGreaterThan(4 * KB)
    expect(withClient - without).toBeLessThan(12 * KB)
  })

  test('is called by a server component of Next.js', async () => {
    const eve = await app.user('eve')
    const TOKEN = await app.token(['channel:read'], { user: eve })
    write(site, {
      'app/layout.tsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
      'app/page.tsx': `import { createClient } from '@developer-api/client'
export default async function Page() {
  const api = createClient({ baseUrl: '${app.base}', credential: '${TOKEN}' })
  return <p>{(await api.channels.get.query({ slug: 'eve' })).username} is here</p>
}\n`,
      'next.config.mjs': 'export default { typescript: { ignoreBuildErrors: true } }\n',
    })
    await runLong(site, [program('next'), 'build'])
    expect(readFileSync(join(site, '.next/server/app/index.html'), 'utf8')).toMatch(/eve(<!-- -->)? is here/)
  })
})

/** Compiles an example and runs it; `meanwhile` happens when it has written its first line. */
async function runExample(name: string, env: Record<string, string>, meanwhile?: () => Promise<void>) {
  const words = [name, '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--ignoreConfig', '--noCheck']
  run(outside, process.execPath, tsc, `${name}.ts`, ...words.slice(1))
  return runLong(outside, [`${name}.js`], { BASE: app.base, ...env }, meanwhile)
}

/** Without waiting for it in the way: the service that it calls is in this process. */
async function runLong(cwd: string, words: string[], given = {}, meanwhile?: () => Promise<void>): Promise<string> {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', ...given }
  const child = spawn(process.execPath, words, { cwd, env })
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
