import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Package = {
  version: string
  license?: string
  dev?: boolean
  integrity?: string
  resolved?: string
  hasInstallScript?: boolean
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const packages = Object.entries<Package>(read('package-lock.json').packages)
  .filter(([path]) => path !== '')
  .map(([path, found]) => ({ ...found, name: path.replace(/^.*node_modules\//, '') }))

/** Licences that ask for no more than to be named, and one (MPL-2.0) whose conditions end with the package's own files. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Public Domain',
  'Python-2.0',
  'Unlicense',
])

test('every package has a licence that is allowed, or a choice of several', () => {
  const choices = (license = '') => license.replace(/[()]/g, '').split(' OR ')
  const refused = packages.filter(({ license }) => !choices(license).some((one) => allowed.has(one)))
  expect(packages.length).toBeGreaterThan(400)
  expect(refused.map(({ name, license }) => `${name}: ${license}`)).toEqual([])
})

test('no package runs a script when it is installed', () => {
  const { allowScripts } = read('package.json')
  const wishing = new Set(packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name))
  expect([...wishing].toSorted()).toEqual(Object.keys(allowScripts).toSorted())
  expect(Object.values(allowScripts).some(Boolean)).toBe(false)
})

test('every package is what it was when it was locked, wherever it is fetched from', () => {
  expect(packages.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ name }) => name)).toEqual([])
  expect(packages.filter(({ resolved }) => resolved !== undefined).map(({ name }) => name)).toEqual([])
})

test('every version is pinned, of what runs and of what builds', () => {
  const { dependencies, devDependencies, optionalDependencies } = read('package.json')
  const versions = Object.values<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})
