import { type Command, Option } from 'commander'
import type { Context } from '../domain/core/context.ts'
import { followAsOperator, type StreamedEvents } from '../domain/events/event-stream.ts'
import type { LoggedEvent } from '../domain/events/log.ts'
import { type ReplayProgress, type ReplayRequest, replayDeliveries } from '../domain/webhooks/deliveries/replay.ts'
import { type TestRequest, type TestResult, testSubscription } from '../domain/webhooks/deliveries/test-delivery.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { type StreamOptions, streamEvents } from './event-stream.ts'
import { absoluteUrl, asOperator, type CliIo, Refusal } from './io.ts'

/** What commands about events may call: as an application through the API, or as the operator on the database. */
export type ApiAccess = {
  /** Which addresses a receiver may have: also those of this machine. */
  targets: Context['targets']
  follow: (options: StreamOptions) => AsyncIterable<LoggedEvent[]>
  trigger: (request: TestRequest) => Promise<TestResult>
  replay: (request: ReplayRequest) => Promise<ReplayProgress>
}

const URL_DEFAULT = 'http://127.0.0.1:3000'

/** Adds the options `--key` and `--url`. */
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

/** Runs `work` as the application of `--key`, or as the operator without it. */
export async function withApiAccess<Result>(
  command: Command,
  io: CliIo,
  work: (api: ApiAccess) => Promise<Result>,
): Promise<Result> {
  const { key, url } = command.opts<{ key?: string; url: string }>()
  // checked here because the error of an option's parser would quote the value
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) command.error('error: --key must be one line without spaces')
  if (new URL(url).username !== '') command.error('error: --url must hold no name and no password')
  if (key !== undefined) return asApplication(url, key, work)
  if (command.getOptionValueSource('url') !== 'default') {
    command.error('error: --url needs --key: without one a command works on the database of this machine')
  }
  return io.withContext((ctx) => {
    const operator = asOperator(ctx)
    return work({
      targets: { ...ctx.targets, allowPrivate: true },
      follow: ({ types, signal }) => eventsOf(followAsOperator(operator, { types }, signal)),
      trigger: (input) => testSubscription(operator, input),
      replay: (input) => replayDeliveries(operator, input),
    })
  })
}

/** The client is loaded on demand, so that other commands start faster. */
async function asApplication<Result>(baseUrl: string, credential: string, work: (api: ApiAccess) => Promise<Result>) {
  const [client, { EventSource }] = await Promise.all([import('../client/index.ts'), import('eventsource')])
  const remote = client.createClient({ baseUrl, credential, EventSource })
  try {
    return await work({
      targets: { allowPrivate: true, allowCidrs: [], proxyUrl: undefined },
      follow: (options) => streamEvents(remote, options),
      trigger: (input) => remote.webhooks.test.mutate(input),
      replay: (input) => remote.deliveries.replay.mutate(input),
    })
  } catch (error) {
    if (!client.isFailedCall(error)) throw error
    throw new Refusal(client.problemOf(error) ?? { code: 'unreachable', message: unreachable(baseUrl, error) })
  }
}

/** The innermost cause of a failed fetch says why it failed. */
function unreachable(baseUrl: string, error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return `There is no answer of the service at ${baseUrl} (${errorMessageOf(cause)}): does it run, and is this its address?`
}

async function* eventsOf(stream: AsyncIterable<StreamedEvents>) {
  for await (const { item } of stream) yield item.events
}
