import type { Command } from 'commander'
import { answers, type CliIo } from './io.ts'

export function addMigrateCommand(program: Command, door: CliIo): void {
  answers(program.command('migrate').description('bring the database up to this release'), door, {
    examples: ['migrate', 'migrate --json'],
    work: async () => {
      const applied = await door.migrate()
      return { data: { applied }, text: applied === 0 ? 'Nothing to do.' : `${applied} migrations applied.` }
    },
  })
}
