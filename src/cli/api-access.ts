import { type Command, Option } from 'commander'
import type { Context } from '../domain/core/context.ts'
import { followAsOperator, type StreamedEvents } from '../domain/events/event-stream.ts'
import type { LoggedEvent } from '../domain/events/log.ts'
import { type ReplayProgress, type ReplayRequest, replayDeliveries } from '../domain/webhooks/deliveries/replay.ts'
import { type TestRequest, type TestResult, testSubscription } from '../domain/webhooks/deliveries/test-delivery.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { followed, type Watch } from './event-stream.ts'
import { absoluteUrl, asOperator, type CliIo, Refusal } from './io.ts'

/** What commands about events ask for: as an application of the service, or as the operator of its database. */
export type ApiAccess = {
  /** What may be called from here: everything on this machine, and what the operator allows. */
  targets: Context['targets']
  follow: (watch: Watch) => AsyncIterable<LoggedEvent[]>
  trigger: (request: TestRequest) => Promise<TestResult>
  replay: (request: ReplayRequest) => Promise<ReplayProgress>
}

const URL_DEFAULT = 'http://127.0.0.1:3000'

/** Adds the options that say as whom a command speaks. */
export function addApiAccess(command: Command): Command {
  const key = new Option(
    '--key <key>',
    'speak as an application, by its API key or its own token with webhook:write; as the operator when left out',
  )
  const url = new Option('--url <url>', 'the service to speak to with the key: its address without a path').default(
    URL_DEFAULT,
  )
  url.argParser(absoluteUrl(URL_DEFAULT))
  return command.addOption(key.env('DEVELOPER_API_KEY')).addOption(url.env('DEVELOPER_API_URL'))
}

/** Runs `work` as the options of `command` say. */
export async function withApiAccess<Result>(
  command: Command,
  door: CliIo,
  work: (reach: ApiAccess) => Promise<Result>,
): Promise<Result> {
  const { key, url } = command.opts<{ key?: string; url: string }>()
  // said without the value, which the parser of an option would show
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) command.error('error: --key must be one line without spaces')
  if (new URL(url).username !== '') command.error('error: --url must hold no name and no password')
  if (key !== undefined) return asApplication(url, key, work)
  if (command.getOptionValueSource('url') !== 'default') {
    command.error('error: --url needs --key: without one a command works on the database of this machine')
  }
  return door.withContext((ctx) => {
    const operator = asOperator(ctx)
    return work({
      targets: { ...ctx.targets, allowPrivate: true },
      follow: ({ types, signal }) => eventsOf(followAsOperator(operator, { types }, signal)),
      trigger: (input) => testSubscription(operator, input),
      replay: (input) => replayDeliveries(operator, input),
    })
  })
}

/** The client is loaded when asked for: most commands need none, and should begin at once. */
async function asApplication<Result>(baseUrl: string, credential: string, work: (reach: ApiAccess) => Promise<Result>) {
  const [client, { EventSource }] = await Promise.all([import('../client/index.ts'), import('eventsource')])
  const api = client.createClient({ baseUrl, credential, EventSource })
  try {
    return await work({
      targets: { allowPrivate: true, allowCidrs: [], proxyUrl: undefined },
      follow: (watch) => followed(api, watch),
      trigger: (input) => api.webhooks.test.mutate(input),
      replay: (input) => api.deliveries.replay.mutate(input),
    })
  } catch (error) {
    if (!client.isFailedCall(error)) throw error
    throw new Refusal(client.problemOf(error) ?? { code: 'unreachable', message: silence(baseUrl, error) })
  }
}

/** A failed fetch says why at the bottom of its causes. */
function silence(baseUrl: string, error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return `There is no answer of the service at ${baseUrl} (${errorMessageOf(cause)}): does it run, and is this its address?`
}

async function* eventsOf(stream: AsyncIterable<StreamedEvents>) {
  for await (const { item } of stream) yield item.events
}
