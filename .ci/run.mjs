// Everything that must hold before a change is accepted: a clean install, the test command of the README, what people see
// in a browser, `npm run check`, and two minutes of kills under load. Outside the project it installs Chromium, where there
// is none and root may; without it the browser tests are skipped. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const npm = (...args) => spawnSync('npm', args, { cwd: root, stdio: 'inherit' }).status === 0

const apt = (...args) => spawnSync('apt-get', args, { stdio: 'inherit' }).status === 0

/** Debian's, which has no version to keep in step with the tests. */
function installChromium() {
  if (existsSync('/usr/bin/chromium') || process.getuid?.() !== 0) return
  if (!apt('update', '-qq') || !apt('install', '-y', '-qq', '--no-install-recommends', 'chromium')) {
    console.log('Chromium could not be installed')
  }
}

/** Runs the tests of a script and returns how many of them passed and failed; a run that ends without a report is one failure. */
function runTests(script) {
  const folder = mkdtempSync(join(tmpdir(), 'results-'))
  const file = join(folder, 'results.json')
  const succeeded = npm('run', script, '--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`)
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
if (isInstalled) installChromium()
const runs = isInstalled ? ['test', 'test:browser'].map(runTests) : [{ passed: 0, failed: 1 }]
const passed = runs.reduce((sum, run) => sum + run.passed, 0)
const scripts = [['check'], ['soak', '--', '--minutes', '2']]
const failedScripts = isInstalled ? scripts.filter((script) => !npm('run', ...script)) : scripts
for (const script of failedScripts) console.log(`npm run ${script.join(' ')} failed`)
const failed = runs.reduce((sum, run) => sum + run.failed, 0) + failedScripts.length
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
