// Applies patches/ to the packages in node_modules, before anything is built or run from them. No script of an installation
// does it: those are off (.npmrc), for everybody's packages and so for ours.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = dirname(fileURLToPath(import.meta.url))

/** Where patch-package notes in a package what it has applied to it; gone with the package. */
const STATE_FILE = '.patch-package.json'

/**
 * Patches what is not patched yet, and reads four small files where all is. Throws one line when a package has another
 * version, or patches of another state of patches/. Several processes at once do no harm: files are replaced whole.
 */
export function patchPackages(root = project) {
  for (const [name, patches] of patchesByPackage(root)) patchPackage(root, name, patches)
}

/** `postgres+3.4.9+001+faults.patch` is the first patch of the package postgres; those of a scope begin `@scope+`. */
function patchesByPackage(root) {
  const byPackage = new Map()
  for (const file of readdirSync(join(root, 'patches'))
    .filter((name) => name.endsWith('.patch'))
    .sort()) {
    const [, name] = /^((?:@[^+]+\+)?[^+]+)\+/.exec(file) ?? []
    if (name === undefined) throw new Error(`patches/${file} names no package and version`)
    const key = name.replace('+', '/')
    byPackage.set(key, [...(byPackage.get(key) ?? []), file])
  }
  return byPackage
}

function patchPackage(root, name, patches) {
  if (isPatched(root, name, patches)) return
  const complaint = tryToPatch(root, name)
  if (complaint === undefined) return confirmInstallation(root)
  if (isPatched(root, name, patches)) return // another process was faster
  throw new Error(
    `patches/ do not fit node_modules/${name}: run npm ci, or rm -rf node_modules/${name} && npm install (${complaint})`,
  )
}

/** npm reads its list of what is installed only while that is newer than every package, else all of them: npx takes twice as long. */
function confirmInstallation(root) {
  const list = join(root, 'node_modules/.package-lock.json')
  const now = new Date()
  if (existsSync(list)) utimesSync(list, now, now)
}

function isPatched(root, name, patches) {
  const state = stateOf(join(root, 'node_modules', name))
  if (state === undefined) return false
  const wanted = patches.map((file) => `${file} ${sha256(join(root, 'patches', file))}`)
  const applied = state.filter(({ didApply }) => didApply).map((one) => `${one.patchFilename} ${one.patchContentHash}`)
  return wanted.join() === applied.join()
}

function stateOf(folder) {
  const file = join(folder, STATE_FILE)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).patches : undefined
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/**
 * Patches a copy and moves its changed files to their places, the note of what was applied last. Returns what is wrong: also
 * that another process was half through when the copy was made, which has long finished then.
 */
function tryToPatch(root, name) {
  const installed = join(root, 'node_modules', name)
  if (!existsSync(installed)) return 'the package is not there'
  const copy = mkdtempSync(join(root, 'node_modules', '.patching-'))
  try {
    const patched = join(copy, 'node_modules', name)
    cpSync(installed, patched, { recursive: true })
    cpSync(join(root, 'patches'), join(copy, 'patches'), { recursive: true })
    writeFileSync(join(copy, 'package.json'), '{}')
    const complaint = runPatchPackage(copy)
    if (complaint === undefined) replaceChanged(patched, installed)
    return complaint
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function runPatchPackage(cwd) {
  const program = createRequire(import.meta.url).resolve('patch-package')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--error-on-fail', '--error-on-warn'], {
    cwd,
    encoding: 'utf8',
  })
  return status === 0 ? undefined : (/\berror\b.*/i.exec(`${stderr}${stdout}`)?.[0] ?? `status ${status}`)
}

/** File by file: whoever reads the package meanwhile finds each of them, old or new. */
function replaceChanged(patched, installed) {
  for (const name of filesOf(patched)) {
    const [from, to] = [join(patched, name), join(installed, name)]
    if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
  }
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort((one, other) => Number(one === STATE_FILE) - Number(other === STATE_FILE))

if (process.argv[1] && fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  try {
    patchPackages()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
