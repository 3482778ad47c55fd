import { Command, CommanderError } from 'commander'
import { Problem } from '../domain/core/problem.ts'
import { apiVersion } from '../domain/core/version.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { addClientCommands } from './client.ts'
import { addEventCommands } from './events.ts'
import { type CliIo, Refusal, Unsuccessful } from './io.ts'
import { addKeyCommands } from './key.ts'
import { addMigrateCommand } from './migrate.ts'
import { jsonLine, printable } from './printable.ts'
import { addSeedCommand } from './seed.ts'
import { addProcessCommands } from './serve.ts'
import { addTokenCommands } from './token.ts'
import { addUserCommands } from './user.ts'
import { addWebhookCommands } from './webhook.ts'

const groups = [
  addProcessCommands,
  addMigrateCommand,
  addSeedCommand,
  addUserCommands,
  addClientCommands,
  addKeyCommands,
  addTokenCommands,
  addEventCommands,
  addWebhookCommands,
]

/** Runs one command line, given without the program's name, and returns its status. An error is printed as one line. */
export async function runProgram(io: CliIo, args: readonly string[]): Promise<number> {
  const program = new Command('developer-api')
    .description('The developer platform of a live-streaming site, on the command line.')
    .version(apiVersion)
    .exitOverride()
    .configureOutput({ writeOut: io.write, writeErr: io.write, outputError: () => {} })
  for (const add of groups) add(program, io)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return explain(error, io, args.includes('--json'))
  }
}

/** With `--json` errors go to standard output, like answers, in the form of the REST API. */
function explain(error: unknown, { printError, write }: CliIo, wantsJson: boolean): number {
  if (error instanceof Unsuccessful) return 1
  const isHelp = error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')
  if (isHelp) return error.exitCode
  const failure = failureOf(error)
  if (wantsJson) write(jsonLine({ error: failure }))
  else printError(failure.message.split('\n').map(printable).join('\n'))
  return 1
}

function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof Problem) return { code: error.code, message: error.message }
  if (error instanceof CommanderError) return { code: 'usage', message: error.message.replace(/^error: /, '') }
  if (error instanceof Refusal) return error.problem
  return { code: 'failed', message: errorMessageOf(error) }
}
