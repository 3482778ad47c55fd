import { type Command, InvalidArgumentError } from 'commander'
import { type SubscribableType, subscribableTypes } from '../domain/events/types.ts'
import { type Forwarded, forwardEvents } from '../domain/webhooks/deliveries/forward.ts'
import { newSigningSecret, signingKey } from '../domain/webhooks/secrets/sign.ts'
import { isSuccess } from '../shared/delivery.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { addApiAccess, withApiAccess } from './api-access.ts'
import { absoluteUrl, addAction, type CliIo, oneOf, parseCount } from './io.ts'
import { formatResponse } from './output.ts'
import { jsonLine, printable } from './printable.ts'

type Options = { forwardTo: string; types?: SubscribableType[]; secret?: string; count?: number; json?: boolean }

export function addListen(command: Command, io: CliIo): void {
  addApiAccess(command)
    .requiredOption('--forward-to <url>', 'the receiver; it may be on this machine', parseReceiver)
    .option('--types <types>', 'separated by commas; all when left out', parseTypes)
    .option('--secret <secret>', 'signs what is sent; made up and shown when left out', parseSecret)
    .option('--count <events>', 'end after so many', parseCount)
  addAction(command, io, {
    examples: [
      'events listen --forward-to http://127.0.0.1:4000/webhooks',
      'events listen --forward-to http://127.0.0.1:4000/webhooks --key $KEY --url https://api.example.com',
      'events listen --forward-to http://127.0.0.1:4000/webhooks --types chat.message.sent,livestream.started',
    ],
    work: async () => {
      const { forwardTo, types, secret = newSigningSecret(), count, json } = command.opts<Options>()
      const onListening = () =>
        io.write(json ? `${JSON.stringify({ signing_secret: secret })}\n` : `Signing with ${secret}\n`)
      const counts = { forwarded: 0, failed: 0 }
      const onForwarded = (event: Forwarded) => {
        counts[isSuccess(event.status) ? 'forwarded' : 'failed']++
        io.write(json ? jsonLine(event) : `${describe(io, event)}\n`)
      }
      const signal = io.stopping()
      const onInterruption = (isInterrupted: boolean) =>
        io.printError(isInterrupted ? 'Connection lost: reconnecting.' : 'Reconnected: missed events follow.')
      const to = { url: forwardTo, secret, count, signal, onListening, onForwarded }
      await withApiAccess(command, io, ({ follow, targets }) =>
        forwardEvents(follow({ types, signal, onInterruption }), { ...to, targets }),
      )
      const { forwarded, failed } = counts
      const text = `Events taken: ${forwarded}, not taken: ${failed}.`
      return { data: counts, text, failed: failed > 0 }
    },
  })
}

const describe = (io: CliIo, { id, type, status, error_class, duration_ms }: Forwarded) =>
  `${printable(id)}  ${printable(type).padEnd(22)}  ${formatResponse(io, status, error_class)}  ${duration_ms} ms`

const parseTypes = (text: string) => text.split(',').map(oneOf(subscribableTypes))

const parseReceiver = absoluteUrl('http://127.0.0.1:4000/webhooks')

function parseSecret(text: string): string {
  try {
    signingKey(text)
  } catch (error) {
    throw new InvalidArgumentError(`${errorMessageOf(error)}.`)
  }
  return text
}
