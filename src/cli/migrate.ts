import type { Command } from 'commander'
import { addAction, type CliIo } from './io.ts'

export function addMigrateCommand(program: Command, io: CliIo): void {
  addAction(program.command('migrate').description('bring the database up to this release'), io, {
    examples: ['migrate', 'migrate --json'],
    work: async () => {
      const applied = await io.migrate()
      return { data: { applied }, text: applied === 0 ? 'Nothing to do.' : `${applied} migrations applied.` }
    },
  })
}
