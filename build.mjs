// Compiles src/ into dist/, but only when something that decides the result has changed. Runs before every start.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.stamp')
const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js')

/** Brings dist/ up to date; returns whether it had to. Several builds at once do no harm: files are replaced whole. */
export function buildIfStale() {
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false
  const fresh = join(dist, `.fresh-${process.pid}`)
  try {
    compile(fresh)
    rmSync(stamp, { force: true })
    replaceFiles(fresh)
    writeFileSync(stamp, wanted)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return true
}

function fingerprint() {
  const hash = createHash('sha256')
  const inputs = [...sources(), 'build.mjs', 'tsconfig.json', 'tsconfig.build.json']
  for (const file of inputs)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.update(readFileSync(join(dirname(compiler), '..', 'package.json'))).digest('hex')
}

/** The TypeScript files of the server; the console has a build of its own. */
function sources() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('src/client/console/'))
    .sort()
}

function compile(folder) {
  mkdirSync(folder, { recursive: true })
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', folder, '--sourceMap', 'false']
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`src/ does not compile:\n${stdout}${stderr}`)
}

/** Moves what was compiled to its place and removes what has no source any more. */
function replaceFiles(fresh) {
  const made = new Set(scripts(fresh))
  for (const file of made) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    renameSync(join(fresh, file), join(dist, file))
  }
  for (const file of scripts(dist)) if (!made.has(file)) rmSync(join(dist, file), { force: true })
}

const scripts = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.js$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !/^(console|\.fresh-)/.test(file))

if (process.argv[1] && fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  try {
    buildIfStale()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
