import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { styleText } from 'node:util'
import type { CliIo } from './cli/io.ts'
import { runProgram } from './cli/program.ts'
import type { Config } from './config.ts'

// What a command needs is loaded when it is run: help and the commands without a database start in half the time.

/** Reads the configuration only when a command needs it, so that `--help` works with a wrong one. Warnings go to stderr. */
async function configure(): Promise<Config> {
  const [{ loadConfig }, { openLog }] = await Promise.all([import('./config.ts'), import('./telemetry/logger.ts')])
  const config = loadConfig()
  openLog(config.logLevel === 'info' ? 'warn' : config.logLevel, 'stderr')
  return config
}

async function runUntilStopped(start: Parameters<typeof import('./process/lifecycle.ts').runUntilStopped>[0]) {
  const lifecycle = await import('./process/lifecycle.ts')
  return lifecycle.runUntilStopped(start)
}

/** A wrong configuration is no hindrance here: the command is about another service then. */
async function demoUrl(): Promise<string | undefined> {
  const [{ loadConfig }, { demoUrlIn }] = await Promise.all([import('./config.ts'), import('./process/demo-file.ts')])
  try {
    return demoUrlIn(loadConfig())
  } catch {
    return undefined
  }
}

/** XDG Base Directory Specification; a path that is not absolute counts as none. */
function configFolder(): string {
  const { XDG_CONFIG_HOME: named = '' } = process.env
  return join(isAbsolute(named) ? named : join(homedir(), '.config'), 'developer-api')
}

const stop = new AbortController()

/** Whoever reads the output may leave before its end, as `head` does: then there is nothing more to listen for, nor to say. */
function onUnwritten(error: NodeJS.ErrnoException): void {
  stop.abort()
  if (error.code === 'EPIPE') return
  io.printError(`The output could not be written: ${error.message}`)
  process.exitCode = 1
}

const io: CliIo = {
  withContext: async (work) => (await import('./process/command-context.ts')).withContext(await configure(), work),
  write: (text) => process.stdout.write(text),
  printError: (line) =>
    process.stderr.write(`${styleText('red', 'developer-api:', { stream: process.stderr })} ${line}\n`),
  paint: (tone, text) => styleText(tone === 'good' ? 'green' : 'red', text, { stream: process.stdout }),
  readInput: () => buffer(process.stdin),
  isTerminal: process.stderr.isTTY === true,
  showProgress: (text) => process.stderr.write(text),
  configFolder,
  demoUrl,
  stopping: () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    return stop.signal
  },
  serve: async () => runUntilStopped((await import('./start.ts')).start),
  work: async () => runUntilStopped((await import('./process/standalone-worker.ts')).startStandaloneWorker),
  migrate: async () => {
    const { findDatabase } = await import('./process/command-context.ts')
    const { Disposables } = await import('./process/disposables.ts')
    const { migrateAndLog } = await import('./process/migration.ts')
    const config = await configure()
    await using disposables = new Disposables()
    return await migrateAndLog(config.directUrl ?? (await findDatabase(config, disposables)))
  },
}

process.stdout.on('error', onUnwritten)
process.stderr.on('error', () => stop.abort())
const status = await runProgram(io, process.argv.slice(2))
process.exitCode ??= status
