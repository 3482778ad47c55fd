// Everything that must hold before a change is accepted: a clean install, the test command of the README, and
// `npm run check`. Installs nothing outside the project. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const npm = (...args) => spawnSync('npm', args, { cwd: root, stdio: 'inherit' }).status === 0

/** Runs the tests and returns how many of them passed and failed; a run that ends without a report is one failure. */
function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'results-'))
  const file = join(folder, 'results.json')
  const succeeded = npm('test', '--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`)
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'))
    return { passed: numPassedTests, failed: Math.max(numFailedTests, succeeded ? 0 : 1) }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isInstalled = npm('ci')
const tests = isInstalled ? runTests() : { passed: 0, failed: 1 }
const isChecked = isInstalled && npm('run', 'check')
if (!isChecked) console.log('npm run check failed')
const failed = tests.failed + (isChecked ? 0 : 1)
console.log(`${tests.passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
