import type { Command } from 'commander'
import { type Inspection, inspectCredential } from '../domain/oauth/inspect.ts'
import { addAction, type CliIo, demoLines } from './io.ts'
import { table } from './output.ts'
import { Painted } from './painted.ts'

export function addTokenCommands(token: Command, io: CliIo): void {
  const inspect = token
    .command('inspect')
    .description('tell what a credential is and whether it works; the status is 1 when it does not')
    .argument(
      '[source]',
      '"-": an access token, refresh token, API key, overlay key, stream key or client secret is read from standard input',
      '-',
    )
  addAction(inspect, io, {
    examples: [
      ...demoLines.credentials,
      '$ demo api_key | npx developer-api token inspect',
      'token inspect < token.txt',
    ],
    work: async () => {
      if ((inspect.args[0] ?? '-') !== '-') inspect.error(`error: ${IN_ARGUMENTS}`)
      const credential = String(await io.readInput()).trim()
      const data = await io.withContext((ctx) => inspectCredential(ctx, credential))
      return { data, text: table(rowsOf(data, io)), failed: !data.active }
    },
  })
}

const IN_ARGUMENTS =
  'a credential among the arguments is shown to everybody on this machine: give it on standard input, token inspect < FILE'

/** The most important row first. Rows without a value are left out, except for `expires_at`. */
function rowsOf(inspection: Inspection, io: CliIo) {
  const works = inspection.active ? new Painted(io, 'good', 'yes') : new Painted(io, 'bad', `no: ${whyNot(inspection)}`)
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
  overlay_key: 'its account is stopped',
  stream_key: 'its account is stopped',
  unknown: 'nothing like it was issued here',
} as const satisfies Record<Inspection['kind'], string>
