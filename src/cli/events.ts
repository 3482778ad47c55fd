import { type Command, Option } from 'commander'
import { type EventType, subscribableTypes } from '../domain/events/types.ts'
import { forwardSample } from '../domain/webhooks/deliveries/forward.ts'
import { isSuccess } from '../shared/delivery.ts'
import { addApiAccess, withApiAccess } from './api-access.ts'
import { addAction, type CliIo, type CommandOutput, demoLines, oneOf, subscriptionLines } from './io.ts'
import { addListen } from './listen.ts'
import { formatResponse, table } from './output.ts'
import { addReplay } from './replay.ts'
import { addSigningSecret, parseReceiver, readSigningSecret, type SigningSecret } from './signing.ts'

export function addEventCommands(events: Command, io: CliIo): void {
  addListen(events.command('listen').description('send what happens, or has happened, to a receiver of yours'), io)
  addTrigger(events.command('trigger').description('send one sample of an event to a subscription or a receiver'), io)
  addReplay(events.command('replay').description('deliver again what a subscription did not get'), io)
}

/** What can be sent on demand. */
const samples = ['webhook.test', ...subscribableTypes] as const

function addTrigger(command: Command, io: CliIo) {
  addApiAccess(command)
    .argument('<type>', `one of ${samples.join(', ')}`)
    .option('--subscription <id>', 'sub_…; it need not ask for this type, nor be enabled')
    .addOption(forwardTo())
  addSigningSecret(command)
  addAction(command, io, {
    examples: [
      ...demoLines.receiver,
      'events trigger chat.message.sent --forward-to http://127.0.0.1:4000/webhooks',
      ...subscriptionLines,
      'events trigger webhook.test --subscription "$SUBSCRIPTION"',
    ],
    work: async () => {
      const [name = ''] = command.args
      const { subscription: id, forwardTo: url } = command.opts<{ subscription?: string; forwardTo?: string }>()
      const type = oneOf(samples)(name)
      if (url !== undefined) return sendSample(io, type, url, await readSigningSecret(command, io))
      if (id === undefined) command.error('error: say where to: --subscription, or --forward-to')
      const data = await withApiAccess(command, io, ({ trigger }) => trigger({ id, type }))
      const { delivery_id, status, error_class, detail, duration_ms, response } = data
      const result = {
        status: formatResponse(io, status, error_class),
        ...(detail !== null && { detail }),
        duration_ms,
      }
      const shown = { delivery_id, ...result, response }
      return { data, text: table(shown), failed: !isSuccess(status) }
    },
  })
}

const forwardTo = () =>
  new Option('--forward-to <url>', 'a receiver, which may be on this machine; it needs no subscription and no service')
    .argParser(parseReceiver)
    .conflicts(['subscription', 'keyFile'])

const anyTarget = { allowPrivate: true, allowCidrs: [], proxyUrl: undefined }

async function sendSample(io: CliIo, type: EventType, url: string, signing: SigningSecret): Promise<CommandOutput> {
  const sent = await forwardSample(type, { url, secret: signing.secret, targets: anyTarget })
  const data = { ...sent, signing_secret: signing.shown }
  const { id, status, error_class, detail, duration_ms, signing_secret } = data
  const result = { status: formatResponse(io, status, error_class), ...(detail !== null && { detail }), duration_ms }
  const shown = { id, ...result, ...(signing_secret !== null && { signing_secret }) }
  return { data, text: table(shown), failed: !isSuccess(status) }
}
