import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Package = {
  version: string
  license?: string
  dev?: boolean
  integrity?: string
  resolved?: string
  link?: boolean
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const packagesIn = (lock: string) =>
  Object.entries<Package>(read(lock).packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link) // all but the project and its workspaces
    .map(([path, found]) => ({ ...found, name: path.replace(/^.*node_modules\//, '') }))
const packages = packagesIn('package-lock.json')
/** Of the tools of others that the document is tried with, which are installed for that alone. */
const tools = packagesIn('tools/package-lock.json')

/** Licences that ask for no more than to be named, and one (MPL-2.0) whose conditions end with the package's own files. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Public Domain',
  'Python-2.0',
  'Unlicense',
])

/** Conditions for whoever passes them on, which nobody does: what only builds is in no image and no package of ours. */
const allowedForDevelopment = new Set(['LGPL-3.0-only'])

/** Packages whose licence stands in their LICENSE or README, and not where npm looks for it. */
const toldElsewhere: Record<string, string> = { 'passport-strategy': 'MIT', pause: 'MIT' }

test('every package has a licence that is allowed, or a choice of several', () => {
  const choices = (license = '') => license.replace(/[()]/g, '').split(' OR ')
  const isAllowed = (one: string, dev = false) => allowed.has(one) || (dev && allowedForDevelopment.has(one))
  const refused = packages.filter(
    ({ name, license = toldElsewhere[name], dev }) => !choices(license).some((one) => isAllowed(one, dev)),
  )
  expect(packages.length).toBeGreaterThan(400)
  expect(refused.map(({ name, license }) => `${name}: ${license}`)).toEqual([])
})

test('no package runs a script when it is installed, and none of ours needs to run around another', () => {
  for (const file of ['.npmrc', 'tools/.npmrc']) expect(readFileSync(file, 'utf8')).toMatch(/^ignore-scripts=true$/m)
  const { scripts } = read('package.json')
  expect(Object.keys(scripts).filter((name) => /^(pre|post)|^install$/.test(name))).toEqual([])
})

test('every package is what it was when it was locked, wherever it is fetched from', () => {
  const all = [...packages, ...tools]
  expect(all.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ name }) => name)).toEqual([])
  expect(all.filter(({ resolved }) => resolved !== undefined).map(({ name }) => name)).toEqual([])
})

test('every version is pinned, of what runs and of what builds', () => {
  const { dependencies, devDependencies, optionalDependencies } = read('package.json')
  const { dependencies: ofTools, optionalDependencies: platforms } = read('tools/package.json')
  const versions = Object.values<string>({
    ...ofTools,
    ...platforms,
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})
