import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const ENTRY = fileURLToPath(new URL('hold.ts', import.meta.url))
const FOLDER = join(ROOT, 'node_modules', '.cache', 'hold') // in node_modules, from where the binaries are found

/**
 * `hold.ts` and all that it imports as one file, which starts in a fifth of the time that the sources take and can be put
 * anywhere beside the binaries. Made once for a state of the sources; resolves with its path.
 */
export async function bundleHold(): Promise<string> {
  const name = `hold-${stateOfSources()}.mjs`
  const bundle = join(FOLDER, name)
  if (existsSync(bundle)) return bundle
  mkdirSync(FOLDER, { recursive: true })
  const old = readdirSync(FOLDER).filter((other) => other.startsWith('hold-') && other !== name)
  const outDir = mkdtempSync(join(FOLDER, 'making-'))
  await makeBundle(outDir, name)
  renameSync(join(outDir, name), bundle)
  for (const left of [outDir, ...old.map((other) => join(FOLDER, other))])
    rmSync(left, { recursive: true, force: true })
  return bundle
}

async function makeBundle(outDir: string, entryFileNames: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    ssr: { noExternal: true },
    build: { ssr: ENTRY, outDir, minify: false, rollupOptions: { output: { entryFileNames } } },
  })
}

function stateOfSources(): string {
  const source = join(ROOT, 'src', 'db')
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const patches = readdirSync(join(ROOT, 'patches')).map((name) => join(ROOT, 'patches', name))
  const hash = createHash('sha256')
  for (const file of [ENTRY, ...patches, ...names.sort().map((name) => join(source, name))])
    hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
