import type { Command } from 'commander'
import { subscribableTypes } from '../domain/events/types.ts'
import { isSuccess } from '../shared/delivery.ts'
import { addApiAccess, withApiAccess } from './api-access.ts'
import { addAction, type CliIo, oneOf } from './io.ts'
import { addListen } from './listen.ts'
import { formatResponse, table } from './output.ts'
import { addReplay } from './replay.ts'

export function addEventCommands(program: Command, io: CliIo): void {
  const events = program.command('events').description('events, and their way to receivers')
  addListen(events.command('listen').description('send what happens from now on to a receiver of yours'), io)
  addTrigger(events.command('trigger').description('send one sample of an event to a subscription'), io)
  addReplay(events.command('replay').description('deliver again what a subscription did not get'), io)
}

/** What can be sent on demand. */
const samples = ['webhook.test', ...subscribableTypes] as const

function addTrigger(command: Command, io: CliIo) {
  addApiAccess(command)
    .argument('<type>', `one of ${samples.join(', ')}`)
    .requiredOption('--subscription <id>', 'sub_…; it need not ask for this type, nor be enabled')
  addAction(command, io, {
    examples: ['events trigger webhook.test --subscription sub_…'],
    work: async () => {
      const [name = ''] = command.args
      const { subscription: id } = command.opts<{ subscription: string }>()
      const type = oneOf(samples)(name)
      const data = await withApiAccess(command, io, ({ trigger }) => trigger({ id, type }))
      const { delivery_id, status, error_class, duration_ms, response } = data
      const shown = { delivery_id, status: formatResponse(io, status, error_class), duration_ms, response }
      return { data, text: table(shown), failed: !isSuccess(status) }
    },
  })
}
