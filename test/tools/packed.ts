import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { tools } from './support.ts'

export const project = join(import.meta.dirname, '../..')
export const ours = (path: string) => join(project, 'node_modules', path)

export const run = (cwd: string, file: string, ...words: string[]) =>
  execFileSync(file, words, { cwd, encoding: 'utf8' })

export function write(folder: string, files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

const MODULE = { 'package.json': JSON.stringify({ type: 'module', private: true }) }

/**
 * A package as another repository has it: packed by a script of ours, its tarball installed into an empty folder with `others`.
 * Without others nothing is fetched, so it must bring all that it needs.
 */
export function installPacked(script: string, name: string, ...others: string[]) {
  const path = mkdtempSync(join(tmpdir(), 'packed-'))
  const tarball = join(project, run(project, process.execPath, script).trim())
  write(path, MODULE)
  const fetching = others.length > 0 ? '--prefer-offline' : '--offline'
  run(path, 'npm', 'install', fetching, '--no-audit', '--no-fund', tarball, ...others)
  return {
    path,
    packedBytes: readFileSync(tarball).length,
    /** A file of the package. */
    read: (file: string) => readFileSync(join(path, 'node_modules', name, file), 'utf8'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A folder where the project's packages and those of `tools` are found, and these as they are elsewhere: `{ folder: names }`. */
export function siteWith(packages: Record<string, string[]>) {
  const path = mkdtempSync(join(tools, '.generated-site-'))
  write(path, MODULE)
  for (const [folder, names] of Object.entries(packages))
    for (const name of names)
      cpSync(join(folder, 'node_modules', name), join(path, 'node_modules', name), { recursive: true })
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

type Checked = { types?: string[]; files: string[] }

/** Has TypeScript check files of a folder, and the declarations of all packages that they name; expects no complaint. */
export function expectChecked(folder: string, moduleResolution: string, { types = [], files }: Checked) {
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    jsx: 'react-jsx',
    lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
    moduleResolution,
    types,
    typeRoots: [ours('@types')],
  }
  write(folder, { 'tsconfig.json': JSON.stringify({ compilerOptions, files }) })
  expect(outputOf(folder, process.execPath, ours('typescript/bin/tsc'))).toBe('')
}

/** What a program writes, also where it fails. */
function outputOf(folder: string, file: string, ...words: string[]): string {
  try {
    return run(folder, file, ...words)
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return `${stdout}${stderr}` || String(error)
  }
}

/** Both ways in which modules are found today. */
export const resolutions = ['nodenext', 'bundler'] as const
