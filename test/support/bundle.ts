import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, 'node_modules', '.cache') // in node_modules, from where packages are found

/**
 * Scripts of tests, each with all that it imports as JavaScript, which start in a fifth of the time that their sources
 * take. Made once for a state of the sources; resolves with the folder that holds `NAME.mjs` of each `NAME.ts`.
 */
export async function bundle(scripts: readonly string[]): Promise<string> {
  const [first = ''] = scripts
  const kind = `test-${basename(dirname(first))}-`
  const name = kind + stateOf(scripts)
  const folder = join(FOLDER, name)
  if (existsSync(folder)) return folder
  mkdirSync(FOLDER, { recursive: true })
  const old = readdirSync(FOLDER).filter((other) => other.startsWith(kind))
  const making = mkdtempSync(join(FOLDER, 'making-'))
  await makeBundle(scripts, making)
  moveOnce(making, folder)
  for (const left of old) rmSync(join(FOLDER, left), { recursive: true, force: true })
  return folder
}

/** Another worker may have made the same one meanwhile: then that one stays, since its scripts may run already. */
function moveOnce(making: string, folder: string): void {
  try {
    renameSync(making, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(making, { recursive: true })
  }
}

async function makeBundle(scripts: readonly string[], outDir: string): Promise<void> {
  const { build } = await import('vite')
  const input = Object.fromEntries(scripts.map((script) => [basename(script, '.ts'), script]))
  await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    ssr: { noExternal: true },
    build: { ssr: true, outDir, minify: false, rollupOptions: { input, output: { entryFileNames: '[name].mjs' } } },
  })
}

function stateOf(scripts: readonly string[]): string {
  const listed = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  const sources = [join(ROOT, 'src', 'db'), join(ROOT, 'patches'), ...new Set(scripts.map(dirname))].flatMap(listed)
  const hash = createHash('sha256')
  for (const file of sources.filter((name) => /\.(ts|patch)$/.test(name)).sort()) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
