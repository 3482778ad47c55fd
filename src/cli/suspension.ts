import type { Command } from 'commander'
import { reopenUser } from '../domain/accounts/closing/reopen.ts'
import { disableUser, enableUser } from '../domain/accounts/suspension.ts'
import { disableApplication, enableApplication } from '../domain/applications/suspension.ts'
import type { Context } from '../domain/core/context.ts'
import { addAction, type CliIo, demoLines } from './io.ts'

type Suspension = { work: (ctx: Context, of: string) => Promise<{ id: string }>; disabled: boolean; text: string }

/** `user disable`, `user enable` and `user reopen`. */
export function addUserSuspension(user: Command, io: CliIo): void {
  const of = (command: Command) => command.argument('<username>')
  const disable = of(user.command('disable').description('close an account: end its stream, refuse its credentials'))
  const enable = of(user.command('enable').description('open a closed account again; its webhooks stay off'))
  const reopen = of(user.command('reopen').description('open an account that its owner deleted less than 30 days ago'))
  addCommand(disable, io, { work: disableUser, disabled: true, text: 'The account is closed.' })
  addCommand(reopen, io, { work: reopenUser, disabled: false, text: 'The account is open. Nothing of it is erased.' })
  addCommand(enable, io, { work: enableUser, disabled: false, text: 'The account is open.' })
}

/** `client disable` and `client enable`. */
export function addClientSuspension(client: Command, io: CliIo): void {
  const of = (command: Command) => command.argument('<client_id>', 'cli_…; "client list" shows it')
  const disable = of(client.command('disable').description('stop an application: refuse its credentials and webhooks'))
  const enable = of(client.command('enable').description('let a stopped application in; its webhooks stay off'))
  addCommand(disable, io, { work: disableApplication, disabled: true, text: 'The application is stopped.' })
  addCommand(enable, io, { work: enableApplication, disabled: false, text: 'The application is let in.' })
}

function addCommand(command: Command, io: CliIo, { work, disabled, text }: Suspension) {
  const parent = command.parent?.name()
  const example =
    parent === 'user'
      ? ([`user ${command.name()} outsider`] as const)
      : ([...demoLines.credentials, `client ${command.name()} "$(demo other_client.client_id)"`] as const)
  addAction(command, io, {
    examples: example,
    work: async () => {
      const [of = ''] = command.args
      const { id } = await io.withContext((ctx) => work(ctx, of))
      return { data: { id, disabled }, text }
    },
  })
}
