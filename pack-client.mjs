// Makes @developer-api/client in dist/client/: the typed client for repositories of ours other than this one, with the types of
// the router and none of what is behind them. `npm run pack:client` also packs it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { build, runnerImport } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const folder = join(root, 'dist/client')
const source = join(root, 'src/client')
const entry = join(source, 'index.ts')
const { version, engines, license, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const external = /^@trpc\//

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await writeScript()
await writeDeclarations()
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
copyFileSync(join(source, 'README.md'), join(folder, 'README.md'))
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
  cwd: folder,
  encoding: 'utf8',
})
process.stdout.write(`dist/client/${packed.trim()}\n`)

function manifest() {
  const exact = (name) => [name, dependencies[name]]
  return {
    name: '@developer-api/client',
    version,
    description: 'The typed client of the developer API, for our own dashboards',
    license,
    type: 'module',
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    files: ['index.js', 'index.d.ts'],
    sideEffects: false,
    engines,
    dependencies: Object.fromEntries(['@trpc/client', '@trpc/server'].map(exact)),
  }
}

async function writeScript() {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: { entry, formats: ['es'], fileName: 'index' },
      rollupOptions: { external },
    },
  })
}

/**
 * The declarations in one file. What the service knows of a call and of an operation is nothing to a client: both are opaque
 * there, and of the table of problems the codes and statuses are left. Whatever else would come along fails the roll-up.
 */
async function writeDeclarations() {
  const { module } = await runnerImport(join(root, 'src/domain/core/problem-table.ts'))
  const unionOf = (values) => [...new Set(values)].map((value) => JSON.stringify(value)).join(' | ')
  const statuses = Object.values(module.problems).map(({ status }) => status)
  const opaque = {
    'src/routers/trpc': 'export type ProcedureContext = object',
    'src/routers/operation-meta': 'export type OperationMeta = object',
    'src/domain/core/problem': `export type ProblemCode = ${unionOf(Object.keys(module.problems))}
export type Problem = { status: ${unionOf(statuses)} }`,
  }
  const names = Object.keys(opaque)
  const fileOf = (name) => join(folder, `.opaque-${names.indexOf(name)}.d.ts`)
  for (const name of names) writeFileSync(fileOf(name), opaque[name])
  const replaced = {
    name: 'opaque',
    resolveId(source, importer) {
      const file = importer && source.startsWith('.') ? relative(root, resolve(dirname(importer), source)) : ''
      const name = file.replaceAll('\\', '/').replace(/\.ts$/, '')
      return name in opaque ? fileOf(name) : undefined
    },
  }
  const bundle = await rollup({
    input: entry,
    external,
    plugins: [
      replaced,
      dts({
        tsconfig: join(root, 'tsconfig.json'),
        includeExternal: ['@simplewebauthn/server'], // what browsers make and read of passkeys: types alone
        compilerOptions: { noEmit: false, incremental: false, tsBuildInfoFile: undefined },
      }),
    ],
    onLog(_level, { code, message }) {
      if (code !== 'CIRCULAR_DEPENDENCY') throw new Error(message) // of files whose types are not used
    },
  })
  const { output } = await bundle.write({
    file: join(folder, 'index.d.ts'),
    banner: '/// <reference lib="esnext.disposable" />', // which the types of tRPC name
  })
  for (const name of names) rmSync(fileOf(name))
  const strange = output[0].imports.filter((name) => !external.test(name))
  if (strange.length > 0) throw new Error(`The declarations of the client name packages of the service: ${strange}`)
}
