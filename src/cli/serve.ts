import type { Command } from 'commander'
import type { CliIo } from './io.ts'

const LOG = 'the log is one object of JSON a line whenever no person looks at it'

export function addServe(command: Command, { serve }: CliIo): void {
  command
    .option('--json', LOG)
    .addHelpText('after', '\nExamples:\n  $ npx developer-api serve\n  $ PORT=8080 npx developer-api serve')
    .action(serve)
}

export function addWorker(command: Command, { work }: CliIo): void {
  command.option('--json', LOG).addHelpText('after', '\nExamples:\n  $ npx developer-api worker').action(work)
}
