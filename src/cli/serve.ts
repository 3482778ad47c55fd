import type { Command } from 'commander'
import type { CliIo } from './io.ts'

/** `serve` and `worker`: long-running processes, whose output is the log. */
export function addProcessCommands(program: Command, { serve, work }: CliIo): void {
  program
    .command('serve')
    .description('run the service, as npm start does')
    .option('--json', 'the log is one object of JSON a line whenever no person looks at it')
    .addHelpText('after', '\nExamples:\n  $ npx developer-api serve\n  $ PORT=8080 npx developer-api serve')
    .action(serve)
  program
    .command('worker')
    .description('deliver webhooks, without serving requests')
    .option('--json', 'the log is one object of JSON a line whenever no person looks at it')
    .addHelpText('after', '\nExamples:\n  $ npx developer-api worker')
    .action(work)
}
