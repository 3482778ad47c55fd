import type { Command } from 'commander'
import { addAction, type CliIo } from './io.ts'

export function addMigrate(command: Command, io: CliIo): void {
  addAction(command, io, {
    examples: ['migrate', 'migrate --json'],
    work: async () => {
      const applied = await io.migrate()
      return { data: { applied }, text: applied === 0 ? 'Nothing to do.' : `${applied} migrations applied.` }
    },
  })
}
