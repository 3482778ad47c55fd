import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { createUser } from '../domain/accounts/accounts.ts'
import { verifyAddressOf } from '../domain/accounts/addresses.ts'
import { setPasswordOf } from '../domain/accounts/new-password.ts'
import { resetFactors } from '../domain/factors/remove.ts'
import { printable } from '../telemetry/printable.ts'
import { addAction, type CliIo } from './io.ts'
import { table } from './output.ts'
import { addSecretOption, readSecret } from './secret-option.ts'
import { addUserSuspension } from './suspension.ts'

type Options = { username: string; email: string }

export function addUserCommands(user: Command, io: CliIo): void {
  addUserSuspension(user, io)
  addAccountRepairs(user, io)
  addResetFactors(user, io)
  const create = user
    .command('create')
    .description('make an account, and with it a channel of that name')
    .requiredOption('--username <name>', '3 to 25 of a-z, 0-9 and "_"')
    .requiredOption('--email <address>')
  addSecretOption(create, { name: 'password', description: 'at least 10 characters, made up and shown when left out' })
  addAction(create, io, {
    examples: [
      'user create --username ada --email ada@example.org',
      'user create --username ada --email ada@example.org --password-file password.txt',
    ],
    work: async () => {
      const { username, email } = create.opts<Options>()
      const password = (await readSecret(create, io, 'password')) ?? randomBytes(12).toString('base64url')
      const operator = { type: 'operator' } as const
      const made = await io.withContext((ctx) => createUser(ctx, { username, email, password }, { by: operator }))
      const data = { ...made, password }
      return { data, text: table(data) }
    },
  })
}

function addResetFactors(user: Command, io: CliIo): void {
  const reset = user
    .command('reset-factors')
    .description('take all second factors of an account away, for somebody who has lost them, and end its sessions')
    .argument('<username>')
  addAction(reset, io, {
    examples: ['user reset-factors outsider'],
    work: async () => {
      const [username = ''] = reset.args
      const { id } = await io.withContext((ctx) => resetFactors(ctx, username))
      return {
        data: { id },
        text: 'The account is entered by its password alone, until its owner sets up a factor again.',
      }
    },
  })
}

/** For somebody whom the operator knows and who has no way in. */
function addAccountRepairs(user: Command, io: CliIo): void {
  const password = user
    .command('password')
    .description('set a password, read from standard input; ends every session and grant')
    .argument('<username>')
  addAction(password, io, {
    examples: [
      `$ node -p 'crypto.randomBytes(12).toString("base64url")' > password.txt`,
      'user password outsider < password.txt',
    ],
    work: async () => {
      const [name = ''] = password.args
      const given = String(await io.readInput()).replace(/\r?\n$/, '')
      const { id } = await io.withContext((ctx) => setPasswordOf(ctx, name, given))
      return { data: { id }, text: 'The password is changed. Every session and grant of the account has ended.' }
    },
  })
  const verify = user
    .command('verify-email')
    .description('take the address of an account as confirmed; who else claims it loses the claim')
    .argument('<username>')
  addAction(verify, io, {
    examples: ['user verify-email outsider'],
    work: async () => {
      const [name = ''] = verify.args
      const data = await io.withContext((ctx) => verifyAddressOf(ctx, name))
      return { data, text: `${printable(data.email)} is confirmed.` }
    },
  })
}
