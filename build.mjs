// Bundles the service, with its patched driver, into dist/, the console into dist/console/ and the overlay into dist/overlay/, but
// only what has changed.
// Runs before every start.
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
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { patchPackages } from './patch.mjs'

const root = dirname(fileURLToPath(import.meta.url))
const dist = join(root, 'dist')
const { resolve } = createRequire(import.meta.url)
const vite = join(dirname(resolve('vite/package.json')), 'bin/vite.js')

/** Brings the service in dist/ up to date; returns whether it had to. */
export function buildIfStale() {
  return renew({
    folder: dist,
    inputs: [
      ...sources(isOfServer),
      ...patches(),
      'build.mjs',
      'patch.mjs',
      'vite.service.config.ts',
      'package-lock.json',
    ],
    isOutput: (file) => /^[^\\/]+\.js$/.test(file), // other folders of dist/ are made by others
    prepare: patchPackages,
    build: (fresh) => ['build', '--config', 'vite.service.config.ts', '--outDir', fresh, '--logLevel', 'error'],
  })
}

/** Brings the console in dist/console/ up to date; returns whether it had to. */
export function buildConsoleIfStale() {
  return renew({
    folder: join(dist, 'console'),
    inputs: [...sources(isOfConsole), 'build.mjs', 'vite.config.ts', 'package-lock.json'],
    isOutput: (file) => !file.startsWith('.'),
    build: (fresh) => ['build', '--outDir', fresh, '--logLevel', 'error'],
  })
}

/** Brings the overlay in dist/overlay/ up to date; returns whether it had to. */
export function buildOverlayIfStale() {
  return renew({
    folder: join(dist, 'overlay'),
    inputs: [...sources(isOfOverlay), 'build.mjs', 'vite.overlay.config.ts', 'package-lock.json'],
    isOutput: (file) => !file.startsWith('.'),
    build: (fresh) => ['build', '--config', 'vite.overlay.config.ts', '--outDir', fresh, '--logLevel', 'error'],
  })
}

/** Several builds at once do no harm: files are replaced whole, and what they name is there before them. */
function renew({ folder, inputs, isOutput, prepare, build }) {
  const stamp = join(folder, '.stamp')
  const wanted = fingerprint(inputs)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return false
  process.stderr.write(`Building ${relative(root, folder)}, because its sources are new …\n`)
  prepare?.()
  const fresh = join(folder, `.fresh-${process.pid}`)
  try {
    mkdirSync(fresh, { recursive: true })
    runVite(build(fresh))
    rmSync(stamp, { force: true })
    replaceFiles(fresh, folder, isOutput)
    writeFileSync(stamp, wanted)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return true
}

function fingerprint(inputs) {
  const hash = createHash('sha256')
  for (const file of inputs)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

const isOfServer = (file) => file.endsWith('.ts') && !/^src\/client\/(console|overlay)\//.test(file)
const isFile = (file) => statSync(join(root, file)).isFile()
const isOfOverlay = (file) => file.startsWith('src/client/overlay/') && isFile(file)
const isOfConsole = (file) => /^src\/(client|shared)\//.test(file) && !isOfOverlay(file) && isFile(file)

const patches = () =>
  readdirSync(join(root, 'patches'), { encoding: 'utf8' })
    .filter((file) => file.endsWith('.patch'))
    .map((file) => `patches/${file}`)
    .sort()

function sources(isWanted) {
  return readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter(isWanted)
    .sort()
}

function runVite(command) {
  const env = { ...process.env, NODE_ENV: 'production' } // else Vite bundles React as it is for development
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, ...command], {
    encoding: 'utf8',
    cwd: root,
    env,
  })
  if (status !== 0) throw new Error(`src/ cannot be built:\n${stdout}${stderr}`)
}

/** Moves what was built to its place, pages last, and removes what has no source any more. */
function replaceFiles(fresh, folder, isOutput) {
  const made = filesOf(fresh).filter(isOutput)
  const isPage = (file) => Number(file.endsWith('.html'))
  for (const file of made.toSorted((a, b) => isPage(a) - isPage(b))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    renameSync(join(fresh, file), join(folder, file))
  }
  const kept = new Set(made)
  for (const file of filesOf(folder).filter(isOutput)) if (!kept.has(file)) rmSync(join(folder, file), { force: true })
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

if (process.argv[1] && fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  try {
    buildIfStale()
    buildConsoleIfStale()
    buildOverlayIfStale()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
