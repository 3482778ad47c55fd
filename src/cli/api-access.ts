import { type Command, Option } from 'commander'
import type { Context } from '../domain/core/context.ts'
import { explainRequest } from '../domain/requests/explain.ts'
import type { ExplainedRequest } from '../domain/requests/resources.ts'
import { type ReplayProgress, type ReplayRequest, replayDeliveries } from '../domain/webhooks/deliveries/replay.ts'
import { type TestRequest, type TestResult, testSubscription } from '../domain/webhooks/deliveries/test-delivery.ts'
import { absoluteUrl, asOperator, type CliIo, Refusal } from './io.ts'
import { localFeed } from './local-feed.ts'
import { remoteFeed, unreachable } from './remote-feed.ts'
import type { Connect, ListenSelection } from './resumed-feed.ts'
import { addSecretOption, readSecret } from './secret-option.ts'

/** What commands for applications may call: as an application through the API, or as the operator on the database. */
export type ApiAccess = {
  /** Which addresses a receiver may have: also those of this machine. */
  targets: Context['targets']
  feed: (selection: ListenSelection) => Connect
  trigger: (request: TestRequest) => Promise<TestResult>
  replay: (request: ReplayRequest) => Promise<ReplayProgress>
  explain: (request: { request_id: string }) => Promise<ExplainedRequest[]>
}

const URL_DEFAULT = 'http://127.0.0.1:3000'

const OF_APPLICATION = 'an application, by its API key or its own token with webhook:write'

/** Adds the options `--key-file` and `--url`; `who` a command may speak as. */
export function addApiAccess(command: Command, who = OF_APPLICATION): Command {
  addSecretOption(command, {
    name: 'key',
    env: 'DEVELOPER_API_KEY',
    description: `speak as ${who}, not as the operator`,
  })
  const url = new Option('--url <url>', 'the service to speak to with the key: its address without a path').default(
    URL_DEFAULT,
  )
  url.argParser(absoluteUrl(URL_DEFAULT))
  return command.addOption(url.env('DEVELOPER_API_URL'))
}

/** Runs `work` as the application of a key, or as the operator without one. */
export async function withApiAccess<Result>(
  command: Command,
  io: CliIo,
  work: (api: ApiAccess) => Promise<Result>,
): Promise<Result> {
  const { url } = command.opts<{ url: string }>()
  const key = await readSecret(command, io, 'key')
  // checked here because the error of an option's parser would quote the value
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) command.error('error: the key must be one line without spaces')
  if (new URL(url).username !== '') command.error('error: --url must hold no name and no password')
  if (new URL(url).pathname !== '/') command.error('error: --url must be an address without a path')
  if (key !== undefined) return asApplication(url, key, work)
  if (command.getOptionValueSource('url') !== 'default') {
    command.error('error: --url needs a key: without one a command works on the database of this machine')
  }
  return io.withContext((ctx) => {
    const operator = asOperator(ctx)
    return work({
      targets: { ...ctx.targets, allowPrivate: true },
      feed: (selection) => localFeed(ctx, selection),
      trigger: (input) => testSubscription(operator, input),
      replay: (input) => replayDeliveries(operator, input),
      explain: (input) => explainRequest(operator, input),
    })
  })
}

/** The client is loaded on demand, so that other commands start faster. */
async function asApplication<Result>(baseUrl: string, credential: string, work: (api: ApiAccess) => Promise<Result>) {
  const client = await import('../client/index.ts')
  const remote = client.createClient({ baseUrl, credential })
  try {
    return await work({
      targets: { allowPrivate: true, allowCidrs: [], proxyUrl: undefined },
      feed: (selection) => remoteFeed({ url: baseUrl, credential }, selection),
      trigger: (input) => remote.webhooks.test.mutate(input),
      replay: (input) => remote.deliveries.replay.mutate(input),
      explain: (input) => remote.requests.explain.query(input),
    })
  } catch (error) {
    if (!client.isFailedCall(error)) throw error
    throw new Refusal(client.problemOf(error) ?? { code: 'unreachable', message: unreachable(baseUrl, error) })
  }
}
