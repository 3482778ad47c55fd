import { Command, CommanderError } from 'commander'
import { Problem } from '../domain/errors.ts'
import { apiVersion } from '../domain/health.ts'
import { reasonOf } from '../telemetry/reason.ts'
import { addClientCommands } from './client.ts'
import { type Door, Unsuccessful } from './door.ts'
import { addEventCommands } from './events.ts'
import { addKeyCommands } from './key.ts'
import { addMigrateCommand } from './migrate.ts'
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

/** Runs one command line, without the program's name, and returns its status. What goes wrong is one line. */
export async function runProgram(door: Door, words: readonly string[]): Promise<number> {
  const program = new Command('developer-api')
    .description('The developer platform of a live-streaming site, on the command line.')
    .version(apiVersion)
    .exitOverride()
    .configureOutput({ writeOut: door.write, writeErr: door.write, outputError: () => {} })
  for (const add of groups) add(program, door)
  try {
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    return explain(error, door)
  }
}

function explain(error: unknown, { complain }: Door): number {
  if (error instanceof CommanderError) {
    const isShown = error.exitCode === 0 || error.code === 'commander.help' // the help itself was the answer
    if (!isShown) complain(error.message.replace(/^error: /, ''))
    return error.exitCode
  }
  if (!(error instanceof Unsuccessful)) complain(error instanceof Problem ? error.message : reasonOf(error))
  return 1
}
