import type { Command } from 'commander'
import { type Inspection, inspectCredential } from '../domain/oauth/inspect.ts'
import { answers, type CliIo } from './io.ts'
import { table } from './output.ts'

export function addTokenCommands(program: Command, door: CliIo): void {
  const token = program.command('token').description('tokens, keys and secrets')
  const inspect = token
    .command('inspect')
    .description('tell what a credential is and whether it works; the status is 1 when it does not')
    .argument('<token>', 'an access token, refresh token, API key or client secret; "-" reads it from standard input')
  answers(inspect, door, {
    examples: ['token inspect lsat_…', 'token inspect - < token.txt'],
    work: async () => {
      const [given = ''] = inspect.args
      const credential = given === '-' ? String(await door.readInput()).trim() : given
      const data = await door.withContext((ctx) => inspectCredential(ctx, credential))
      return { data, text: table(rowsOf(data, door)), isBad: !data.active }
    },
  })
}

/** What somebody wants to know first stands first; what there is not is left out, but for an end. */
function rowsOf(found: Inspection, { paint }: CliIo) {
  const works = found.active ? paint('good', 'yes') : paint('bad', `no: ${whyNot(found)}`)
  if (found.kind === 'unknown') return { works }
  const { kind, expires_at, username, user_id, client_id, scopes } = found
  const person = user_id !== null && { username, user_id }
  return { works, kind, expires_at: expires_at ?? 'never', scopes, ...person, client_id }
}

function whyNot({ kind, expires_at }: Inspection): string {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return isOver ? 'it has expired' : reasons[kind]
}

const reasons = {
  access_token: 'it was revoked, or its application or account is stopped',
  refresh_token: 'it was used or revoked, or its application or account is stopped',
  api_key: 'it was revoked, or its application is stopped',
  client_secret: 'its application is stopped',
  unknown: 'nothing like it was issued here',
} as const satisfies Record<Inspection['kind'], string>
