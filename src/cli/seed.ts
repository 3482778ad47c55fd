import type { Command } from 'commander'
import { seed } from '../domain/demo/seed.ts'
import { answers, type Door, parseCount } from './door.ts'

const BAR_WIDTH = 30

export function addSeedCommand(program: Command, door: Door): void {
  const command = program
    .command('seed')
    .description('fill the database with made-up channels, live streams and messages')
    .option('--size <channels>', 'how many channels', parseCount, 1_000)
  answers(command, door, {
    examples: ['seed', 'seed --size 100000'],
    work: async () => {
      const { size } = command.opts<{ size: number }>()
      await door.withContext((ctx) => seed(ctx, size, (done) => showProgress(door, done, size)))
      return { data: { channels: size }, text: `${size} channels were made.` }
    },
  })
}

/** A bar for a person; a program's log is left alone. */
function showProgress({ isTerminal, showProgress: show }: Door, done: number, size: number) {
  if (!isTerminal) return
  const filled = Math.round((done / size) * BAR_WIDTH)
  show(`\r[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${done}/${size}${done === size ? '\n' : ''}`)
}
