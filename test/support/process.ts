import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { inject } from 'vitest'
import { copyFolder, temporaryFolder } from './folder.ts'
import { freePort } from './free-port.ts'
import { expectSecretFree } from './log.ts'

type Environment = Record<string, string>

const BUILD = "import { buildIfStale } from './build.mjs'; buildIfStale()"

/**
 * A folder for a process's data in which the cluster is made already: that takes as long as the rest of a start. For tests
 * of anything but the first start.
 */
export function folderWithCluster() {
  const folder = temporaryFolder()
  const { cluster } = inject('databaseServer')
  if (cluster) copyFolder(cluster, folder.path)
  return folder
}

/** The environment of a child: ours without what would configure the service, then what the test says. */
export function environment(given: Environment): Environment {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NO_COLOR: '1', ...given }
}

/** Starts `dist/main.js`, or what is named, brought up to date; a port of its own unless one is given. */
export async function startProcess(given: Environment, words = ['dist/main.js']) {
  build()
  const port = Number(given.PORT ?? (await freePort()))
  const child = spawn(process.execPath, words, { env: environment({ PORT: String(port), ...given }) })
  const ended = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => code ?? signal)
  const output = collectOutput(child)
  return {
    child,
    port,
    base: `http://127.0.0.1:${port}`,
    ended,
    output,
    /** Sends a signal and resolves with the status. */
    stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
      expectSecretFree(output.text.stdout)
      expectSecretFree(output.text.stderr)
    },
  }
}

/** The same, and resolves when it says that it is ready, or ended before. */
export async function startService(given: Environment) {
  const service = await startProcess(given)
  const isReady = await Promise.race([service.output.holds(/is ready/), service.ended.then(() => false)])
  return { ...service, isReady }
}

export type Service = Awaited<ReturnType<typeof startService>>

let isBuilt = false

/** As `npm start` does first, but for the console; once is enough for a run. */
export function build() {
  if (isBuilt) return
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', BUILD], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  isBuilt = true
}

function collectOutput({ stdout, stderr }: ChildProcess) {
  const text = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  const listen = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
    text[name] += chunk
    for (const watch of watchers) watch()
  }
  stdout?.on('data', listen('stdout'))
  stderr?.on('data', listen('stderr'))
  /** Resolves with true when standard output or error has come to match. */
  const holds = (pattern: RegExp) =>
    new Promise<boolean>((resolve) => {
      const watch = () => {
        if (!pattern.test(text.stdout + text.stderr)) return
        watchers.delete(watch)
        resolve(true)
      }
      watchers.add(watch)
      watch()
    })
  return { text, holds }
}

export type Ran = { status: number; stdout: string; stderr: string }

/** Runs a program to its end. */
export function run(file: string, args: readonly string[], given: Environment = {}, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { env: environment(given) }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ status, stdout, stderr })
    })
    child.stdin?.end(input)
  })
}

/** Runs the command line as `npx developer-api` does. */
export const runCommand = (args: readonly string[], given: Environment = {}, input = '') =>
  run(process.execPath, ['bin/developer-api.mjs', ...args], given, input)
