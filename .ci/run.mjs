// Everything that must hold before a change is accepted: a clean install, the test command of the README, what people see
// in a browser, what foreign tools make of us, the rest of `npm run check`, and two minutes of kills under load. Outside the project it installs Chromium, nginx with its module
// for RTMP, ffmpeg and a NATS server, where they are missing and root may; without them their tests are skipped. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const npm = (...args) => spawnSync('npm', args, { cwd: root, stdio: 'inherit' }).status === 0

const apt = (...args) => spawnSync('apt-get', args, { stdio: 'inherit' }).status === 0

/** What tests drive that is no package of npm, by a file of each: Debian's, which have no version to keep in step with the tests. */
const programs = {
  chromium: '/usr/bin/chromium',
  'nginx-light': '/usr/sbin/nginx',
  'libnginx-mod-rtmp': '/usr/lib/nginx/modules/ngx_rtmp_module.so',
  ffmpeg: '/usr/bin/ffmpeg',
  'nats-server': '/usr/sbin/nats-server',
  'python3-httpx': '/usr/lib/python3/dist-packages/httpx', // what the SDK for Python depends on
}

function installPrograms() {
  const missing = Object.entries(programs).flatMap(([name, file]) => (existsSync(file) ? [] : [name]))
  if (missing.length === 0 || process.getuid?.() !== 0) return
  apt('update', '-qq')
  for (const name of missing) {
    if (!apt('install', '-y', '-qq', '--no-install-recommends', name)) console.log(`${name} could not be installed`)
  }
}

/** Runs the tests of a script and returns how many of them passed and failed; a run that ends without a report is one failure. */
function runTests(script) {
  const folder = mkdtempSync(join(tmpdir(), 'results-'))
  const file = join(folder, 'results.json')
  const succeeded = npm('run', script, '--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`)
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'))
    const failures = testResults.flatMap(failuresOf)
    return { passed: numPassedTests, failed: Math.max(numFailedTests, succeeded ? 0 : 1), failures }
  } catch {
    return { passed: 0, failed: 1, failures: [`npm run ${script} ended without a report`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What failed in a file of tests, and with which first line; of a file that could not be loaded, why. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name)
  const failed = assertionResults.filter((one) => one.status === 'failed')
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : []
  return failed.map(({ fullName, failureMessages: [first = ''] }) => `${file}: ${fullName}: ${firstLine(first)}`)
}

/** What ran out of time has no message in the report, and this word in its place. */
const firstLine = (text) => text.split('\n', 1)[0].replace('STACK_TRACE_ERROR', 'it ran out of time')

const isInstalled = npm('ci')
if (isInstalled) installPrograms()
const suites = ['test', 'test:process', 'test:browser', 'test:tools']
const runs = isInstalled ? suites.map(runTests) : [{ passed: 0, failed: 1, failures: ['npm ci'] }]
const passed = runs.reduce((sum, run) => sum + run.passed, 0)
/** With the suites above, all of `npm run check`. */
const scripts = [['types'], ['lint'], ['unused'], ['soak', '--', '--minutes', '2']]
const failedScripts = isInstalled ? scripts.filter((script) => !npm('run', ...script)) : scripts
for (const failure of runs.flatMap((run) => run.failures)) console.log(`FAILED ${failure}`)
for (const script of failedScripts) console.log(`npm run ${script.join(' ')} failed`)
const failed = runs.reduce((sum, run) => sum + run.failed, 0) + failedScripts.length
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
