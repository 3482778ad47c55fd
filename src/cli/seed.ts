import type { Command } from 'commander'
import { seed } from '../domain/demo/seed.ts'
import { addAction, type CliIo, parseCount } from './io.ts'
import { withProgress } from './progress.ts'

export function addSeed(command: Command, io: CliIo): void {
  command.option('--size <channels>', 'how many channels', parseCount, 1_000)
  addAction(command, io, {
    examples: ['seed', 'seed --size 100000'],
    work: async () => {
      const { size } = command.opts<{ size: number }>()
      await withProgress(io, (progress) =>
        io.withContext((ctx) => seed(ctx, size, (done) => progress(done / size, `${done}/${size}`))),
      )
      return { data: { channels: size }, text: `${size} channels were made.` }
    },
  })
}
