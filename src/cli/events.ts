import { type Command, InvalidArgumentError } from 'commander'
import { type EventType, isEventType, subscribableTypes } from '../domain/webhooks/catalogue.ts'
import { type Forwarded, forwardEvents } from '../domain/webhooks/forward.ts'
import { type ReplayKind, replayDeliveries, replayKinds } from '../domain/webhooks/replay.ts'
import { newSigningSecret } from '../domain/webhooks/sign.ts'
import { testWebhook } from '../domain/webhooks/test-delivery.ts'
import { answers, asOperator, type Door, parseCount, table } from './door.ts'

export function addEventCommands(program: Command, door: Door): void {
  const events = program.command('events').description('events, and their way to receivers')
  addListen(events.command('listen').description('send what happens from now on to a receiver of yours'), door)
  addTrigger(events.command('trigger').description('send one sample of an event to a subscription'), door)
  addReplay(events.command('replay').description('deliver again what a subscription did not get'), door)
}

type ListenOptions = { forwardTo: string; types?: EventType[]; secret?: string; count?: number; json?: boolean }

function addListen(command: Command, door: Door) {
  command
    .requiredOption('--forward-to <url>', 'the receiver; it may be on this machine')
    .option('--types <types>', 'separated by commas; all when left out', parseTypes)
    .option('--secret <secret>', 'signs what is sent; made up and shown when left out')
    .option('--count <events>', 'end after so many', parseCount)
  answers(command, door, {
    examples: [
      'events listen --forward-to http://127.0.0.1:4000/webhooks',
      'events listen --forward-to http://127.0.0.1:4000/webhooks --types chat.message.sent,livestream.started',
    ],
    work: async () => {
      const { forwardTo: url, types, secret = newSigningSecret(), count, json } = command.opts<ListenOptions>()
      door.write(json ? `${JSON.stringify({ signing_secret: secret })}\n` : `Signing with ${secret}\n`)
      let forwarded = 0
      const onForwarded = (one: Forwarded) => {
        forwarded++
        door.write(json ? `${JSON.stringify(one)}\n` : `${describe(one)}\n`)
      }
      const signal = door.stopping()
      const to = { url, secret, types, count, signal, onForwarded }
      await door.withContext((ctx) => forwardEvents(asOperator(ctx), to))
      return { data: { forwarded }, text: `${forwarded} events were sent.` }
    },
  })
}

const describe = ({ id, type, status, error_class, duration_ms }: Forwarded) =>
  `${id}  ${type.padEnd(22)}  ${status ?? error_class}  ${duration_ms} ms`

function addTrigger(command: Command, door: Door) {
  command
    .argument('<type>', `webhook.test, or one of ${subscribableTypes.join(', ')}`)
    .requiredOption('--subscription <id>', 'sub_…; it need not ask for this type, nor be enabled')
  answers(command, door, {
    examples: ['events trigger chat.message.sent --subscription sub_…'],
    work: async () => {
      const [name = ''] = command.args
      const { subscription: id } = command.opts<{ subscription: string }>()
      const type = parseType(name)
      const data = await door.withContext((ctx) => testWebhook(asOperator(ctx), { id, type }))
      const { delivery_id, status, error_class, duration_ms, response } = data
      return {
        data,
        text: table({ delivery_id, status, error_class, duration_ms, response }),
        isBad: !isSuccess(status),
      }
    },
  })
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300

type ReplayOptions = { subscription: string; only: ReplayKind; from?: string; to?: string }

function addReplay(command: Command, door: Door) {
  command
    .requiredOption('--subscription <id>', 'sub_…')
    .option('--only <kind>', `one of ${replayKinds.join(', ')}`, parseReplayKind, 'failed')
    .option('--from <time>', 'RFC 3339; the last 30 days when left out')
    .option('--to <time>', 'RFC 3339; until now when left out')
  answers(command, door, {
    examples: [
      'events replay --subscription sub_…',
      'events replay --subscription sub_… --only missed --from 2026-01-02T00:00:00Z',
    ],
    work: async () => {
      const queued = await replayAll(door, command.opts<ReplayOptions>())
      return { data: { queued }, text: `${queued} deliveries were queued again.` }
    },
  })
}

async function replayAll(door: Door, options: ReplayOptions): Promise<number> {
  return door.withContext(async (ctx) => {
    let queued = 0
    let after: string | undefined
    do {
      const progress = await replayDeliveries(asOperator(ctx), { ...options, after })
      queued += progress.queued
      after = progress.next ?? undefined
    } while (after !== undefined)
    return queued
  })
}

const parseTypes = (text: string) => text.split(',').map(parseType)

function parseType(name: string): EventType {
  if (isEventType(name)) return name
  throw new InvalidArgumentError(`"${name}" is none of ${subscribableTypes.join(', ')}.`)
}

function parseReplayKind(name: string): ReplayKind {
  const kind = replayKinds.find((one) => one === name)
  if (!kind) throw new InvalidArgumentError(`It must be one of ${replayKinds.join(', ')}.`)
  return kind
}
