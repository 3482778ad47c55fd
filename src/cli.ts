import './config.ts'

import { buffer } from 'node:stream/consumers'
import { styleText } from 'node:util'
import type { CliIo } from './cli/io.ts'
import { runProgram } from './cli/program.ts'
import { type Config, loadConfig } from './config.ts'
import { migrateDatabase } from './db/migrate.ts'
import { findDatabase, withContext } from './process/command-context.ts'
import { Disposables } from './process/disposables.ts'
import { runUntilStopped } from './process/lifecycle.ts'
import { openLog } from './telemetry/logger.ts'

/** Reads the configuration only when a command needs it, so that `--help` works with a wrong one. Warnings go to stderr. */
function configure(): Config {
  const config = loadConfig()
  openLog(config.logLevel === 'info' ? 'warn' : config.logLevel, 'stderr')
  return config
}

const io: CliIo = {
  withContext: (work) => withContext(configure(), work),
  write: (text) => process.stdout.write(text),
  printError: (line) =>
    process.stderr.write(`${styleText('red', 'developer-api:', { stream: process.stderr })} ${line}\n`),
  paint: (tone, text) => styleText(tone === 'good' ? 'green' : 'red', text, { stream: process.stdout }),
  readInput: () => buffer(process.stdin),
  isTerminal: process.stderr.isTTY === true,
  showProgress: (text) => process.stderr.write(text),
  stopping: () => {
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    return stop.signal
  },
  // loaded on demand: other commands need neither the HTTP server nor the worker, and start faster without them
  serve: async () => runUntilStopped((await import('./start.ts')).start),
  work: async () => runUntilStopped((await import('./process/standalone-worker.ts')).startStandaloneWorker),
  migrate: async () => {
    const config = configure()
    await using disposables = new Disposables()
    return await migrateDatabase(config.directUrl ?? (await findDatabase(config, disposables)))
  },
}

process.exitCode = await runProgram(io, process.argv.slice(2))
