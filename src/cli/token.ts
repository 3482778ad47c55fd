import type { Command } from 'commander'
import { inspectCredential } from '../domain/oauth/inspect.ts'
import { answers, type Door } from './door.ts'
import { table } from './shown.ts'

export function addTokenCommands(program: Command, door: Door): void {
  const token = program.command('token').description('tokens, keys and secrets')
  const inspect = token
    .command('inspect')
    .description('tell what a credential is and whether it works')
    .argument('<token>', 'an access token, refresh token, API key or client secret; "-" reads it from standard input')
  answers(inspect, door, {
    examples: ['token inspect lsat_…', 'token inspect - < token.txt'],
    work: async () => {
      const [given = ''] = inspect.args
      const credential = given === '-' ? String(await door.readInput()).trim() : given
      const data = await door.withContext((ctx) => inspectCredential(ctx, credential))
      return { data, text: table(data) }
    },
  })
}
