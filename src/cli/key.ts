import type { Command } from 'commander'
import { createKey, listKeys, revokeKey } from '../domain/applications/api-keys.ts'
import type { ApiKey } from '../domain/applications/resources.ts'
import { rollKey } from '../domain/applications/roll-api-key.ts'
import type { Scope } from '../domain/core/scopes.ts'
import { rotateSigningKey } from '../domain/oauth/openid/signing-keys.ts'
import { printable } from '../telemetry/printable.ts'
import { addAction, allOf, asOperator, type CliIo, demoLines, keepField, parseCount, parseScopes } from './io.ts'
import { list, table } from './output.ts'

type CreateOptions = { client: string; name: string; scopes?: Scope[]; days?: number }

export function addKeyCommands(key: Command, io: CliIo): void {
  addList(key.command('list').description('the keys of an application, without the keys themselves'), io)
  addCreate(key.command('create').description('make a key; it is shown this once'), io)
  addRoll(key.command('roll').description('replace a key; the old one works for another day'), io)
  addRevoke(key.command('revoke').description('end a key at once'), io)
  addRotateSigning(key.command('rotate-signing').description('have a new key sign ID tokens from now on'), io)
}

function addList(command: Command, io: CliIo) {
  command.requiredOption('--client <client_id>', 'the identifier of the application, cli_…')
  addAction(command, io, {
    examples: [...demoLines.credentials, 'key list --client "$(demo client.client_id)"'],
    work: async () => {
      const { client: application_id } = command.opts<{ client: string }>()
      const items = await io.withContext((ctx) =>
        allOf((page) => listKeys(asOperator(ctx), { application_id, ...page })),
      )
      return { data: { items }, text: list(items.map(rowOf), 'The application has no keys.') }
    },
  })
}

/** Makes a key to try something with, in `$KEY_ID`. */
const keyLines = (name: string) => [
  ...demoLines.credentials,
  keepField('KEY_ID', `npx developer-api key create --client "$(demo client.client_id)" --name "${name}" --json`, 'id'),
]

const rowOf = ({ id, name, first8, last4, last_used_at, expires_at, revoked_at }: ApiKey) => ({
  id,
  key: `${first8}…${last4}`,
  name,
  last_used_at,
  expires_at,
  revoked_at,
})

function addCreate(command: Command, io: CliIo) {
  command
    .requiredOption('--client <client_id>', 'the identifier of the application, cli_…')
    .option('--name <name>', 'what it is for', 'Made on the command line')
    .option('--scopes <scopes>', "separated by commas; all of the application's when left out", parseScopes)
    .option('--days <days>', 'how long it lives; a year when left out', parseCount)
  addAction(command, io, {
    examples: [
      ...demoLines.credentials,
      'key create --client "$(demo client.client_id)" --name "Night job" --scopes channel:read --days 30',
    ],
    work: async () => {
      const { client, name, scopes, days } = command.opts<CreateOptions>()
      const wanted = { application_id: client, name, scopes, expires_in_days: days }
      return showKey(await io.withContext((ctx) => createKey(asOperator(ctx), wanted)))
    },
  })
}

function addRoll(command: Command, io: CliIo) {
  command
    .argument('<key_id>', 'the identifier of the key, key_…; "key list" shows it')
    .option('--days <days>', 'how long the new one lives', parseCount)
  addAction(command, io, {
    examples: [...keyLines('To be rolled'), 'key roll "$KEY_ID"'],
    work: async () => {
      const [id = ''] = command.args
      const { days } = command.opts<{ days?: number }>()
      return showKey(await io.withContext((ctx) => rollKey(asOperator(ctx), { id, expires_in_days: days })))
    },
  })
}

function addRevoke(command: Command, io: CliIo) {
  command.argument('<key_id>', 'the identifier of the key, key_…; "key list" shows it')
  addAction(command, io, {
    examples: [...keyLines('To be revoked'), 'key revoke "$KEY_ID"'],
    work: async () => {
      const [id = ''] = command.args
      await io.withContext((ctx) => revokeKey(asOperator(ctx), { id }))
      return { data: { id, revoked: true }, text: `${printable(id)} is revoked.` }
    },
  })
}

function addRotateSigning(command: Command, io: CliIo) {
  addAction(command, io, {
    examples: ['key rotate-signing'],
    work: async () => {
      const kid = await io.withContext(rotateSigningKey)
      return { data: { kid }, text: `${kid} signs from now on. The public key before it stays published for a day.` }
    },
  })
}

type NewKey = Pick<ApiKey, 'id' | 'name' | 'scopes' | 'expires_at'> & { key: string }

function showKey({ id, key, name, scopes, expires_at }: NewKey) {
  const data = { id, key, name, scopes, expires_at }
  return { data, text: table(data) }
}
