import { Command, CommanderError } from 'commander'
import { Problem } from '../domain/core/problem.ts'
import { apiVersion } from '../domain/core/version.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { printable } from '../telemetry/printable.ts'
import { type CliIo, Refusal, Unsuccessful } from './io.ts'
import { jsonLine } from './json-line.ts'

type Group = {
  name: string
  description: string
  load: () => Promise<(command: Command, io: CliIo) => void>
}

/** What can be called. A group is loaded when it is named, because most lead to the whole service. */
const groups: readonly Group[] = [
  {
    name: 'serve',
    description: 'run the service, as npm start does',
    load: async () => (await import('./serve.ts')).addServe,
  },
  {
    name: 'worker',
    description: 'deliver webhooks, without serving requests',
    load: async () => (await import('./serve.ts')).addWorker,
  },
  {
    name: 'migrate',
    description: 'bring the database up to this release',
    load: async () => (await import('./migrate.ts')).addMigrate,
  },
  {
    name: 'seed',
    description: 'fill the database with made-up channels, live streams and messages',
    load: async () => (await import('./seed.ts')).addSeed,
  },
  { name: 'user', description: 'accounts of people', load: async () => (await import('./user.ts')).addUserCommands },
  {
    name: 'client',
    description: 'applications that call the API',
    load: async () => (await import('./client.ts')).addClientCommands,
  },
  {
    name: 'key',
    description: 'API keys of applications, and the key that signs ID tokens',
    load: async () => (await import('./key.ts')).addKeyCommands,
  },
  {
    name: 'token',
    description: 'tokens, keys and secrets',
    load: async () => (await import('./token.ts')).addTokenCommands,
  },
  {
    name: 'login',
    description: 'log in at a service, by a code that you enter in a browser',
    load: async () => (await import('./login/login.ts')).addLogin,
  },
  {
    name: 'logout',
    description: 'end a login',
    load: async () => (await import('./login/login.ts')).addLogout,
  },
  {
    name: 'events',
    description: 'events, and their way to receivers',
    load: async () => (await import('./events.ts')).addEventCommands,
  },
  {
    name: 'request',
    description: 'requests that applications made, and their answers',
    load: async () => (await import('./request.ts')).addRequestCommands,
  },
  {
    name: 'webhook',
    description: 'deliveries of webhooks, at the receiving end',
    load: async () => (await import('./webhook.ts')).addWebhookCommands,
  },
  {
    name: 'check-receiver',
    description: 'play the hard cases to a receiver of webhooks, and grade it',
    load: async () => (await import('./receiver/check.ts')).addCheckReceiver,
  },
]

/** Runs one command line, given without the program's name, and returns its status. An error is printed as one line. */
export async function runProgram(io: CliIo, args: readonly string[]): Promise<number> {
  const program = new Command('developer-api')
    .description('The developer platform of a live-streaming site, on the command line.')
    .version(apiVersion)
    .exitOverride()
    .configureOutput({ writeOut: io.write, writeErr: io.write, outputError: () => {} })
  const named = args.find((arg) => arg !== 'help' && !arg.startsWith('-'))
  for (const { name, description, load } of groups) {
    const command = program.command(name).description(description)
    if (name === named) (await load())(command, io)
  }
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
  if (error instanceof CommanderError) return { code: 'usage', message: usageOf(error) }
  if (error instanceof Refusal) return error.problem
  return { code: 'failed', message: errorMessageOf(error) }
}

/** What is wrong in one line, with what may have been meant; for a command that does not exist also where the others are. */
function usageOf({ code, message }: CommanderError): string {
  const wrong = message.replace(/^error: /, '').replaceAll('\n', ' ')
  return code === 'commander.unknownCommand' ? `${wrong}: npx developer-api --help lists them` : wrong
}
