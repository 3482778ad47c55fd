import type { Command } from 'commander'
import { type Inspection, inspectCredential } from '../domain/oauth/inspect.ts'
import { addAction, type CliIo } from './io.ts'
import { table } from './output.ts'
import { Painted } from './printable.ts'

export function addTokenCommands(program: Command, io: CliIo): void {
  const token = program.command('token').description('tokens, keys and secrets')
  const inspect = token
    .command('inspect')
    .description('tell what a credential is and whether it works; the status is 1 when it does not')
    .argument('<token>', 'an access token, refresh token, API key or client secret; "-" reads it from standard input')
  addAction(inspect, io, {
    examples: ['token inspect lsat_…', 'token inspect - < token.txt'],
    work: async () => {
      const [given = ''] = inspect.args
      const credential = given === '-' ? String(await io.readInput()).trim() : given
      const data = await io.withContext((ctx) => inspectCredential(ctx, credential))
      return { data, text: table(rowsOf(data, io)), failed: !data.active }
    },
  })
}

/** The most important row first. Rows without a value are left out, except for `expires_at`. */
function rowsOf(inspection: Inspection, { paint }: CliIo) {
  const works = new Painted(inspection.active ? paint('good', 'yes') : paint('bad', `no: ${whyNot(inspection)}`))
  if (inspection.kind === 'unknown') return { works }
  const { kind, expires_at, username, user_id, client_id, scopes } = inspection
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
