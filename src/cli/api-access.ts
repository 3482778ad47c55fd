import { type Command, Option } from 'commander'
import type { Context } from '../domain/core/context.ts'
import { isLoopbackHost } from '../domain/core/url.ts'
import { explainRequest } from '../domain/requests/explain.ts'
import type { ExplainedRequest } from '../domain/requests/resources.ts'
import { type ReplayProgress, type ReplayRequest, replayDeliveries } from '../domain/webhooks/deliveries/replay.ts'
import { type TestRequest, type TestResult, testSubscription } from '../domain/webhooks/deliveries/test-delivery.ts'
import { printable } from '../telemetry/printable.ts'
import { absoluteUrl, asOperator, type CliIo, Refusal } from './io.ts'
import { localFeed } from './local-feed.ts'
import { renewedFeed } from './login/renewed-feed.ts'
import { UsedLogin } from './login/used-login.ts'
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

export const URL_DEFAULT = 'http://127.0.0.1:3000'

const OF_APPLICATION = 'an application, by its API key or its own token with webhook:write'

/** Ends the command unless `--url` names a service alone. */
function requireBareUrl(command: Command, text: string): void {
  const { username, pathname } = new URL(text)
  if (username !== '') command.error('error: --url must hold no name and no password')
  if (pathname !== '/') command.error('error: --url must be an address without a path')
}

/** The origin of such a service. Ends the command unless what is kept goes there over TLS, or stays on this machine. */
export function requireServiceUrl(command: Command, text: string): string {
  requireBareUrl(command, text)
  const { protocol, hostname, origin } = new URL(text)
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    command.error('error: --url must be an https address, unless it is on this machine')
  return origin
}

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

type Speakers = {
  /** Whether a person who has logged in may call it: what is about an application wants a credential of that. */
  byUser?: boolean
}

/**
 * Runs `work` as the application of a key, which a file or the environment holds; else, where people may, as whoever has logged in;
 * else as the operator.
 */
export async function withApiAccess<Result>(
  command: Command,
  io: CliIo,
  work: (api: ApiAccess) => Promise<Result>,
  { byUser = false }: Speakers = {},
): Promise<Result> {
  const { url } = command.opts<{ url: string }>()
  const key = await readKey(command, io)
  requireBareUrl(command, url)
  if (key !== undefined) return throughApi(url, async () => key, remoteFeed, work)
  const login = byUser ? findLogin(command, io) : undefined
  if (login) return asUser(io, login, work)
  if (isUrlNamed(command)) {
    const or = byUser ? ', or a login (npx developer-api login)' : ''
    command.error(`error: --url needs a key${or}: without one a command works on the database of this machine`)
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

async function readKey(command: Command, io: CliIo): Promise<string | undefined> {
  const key = await readSecret(command, io, 'key')
  // checked here because the error of an option's parser would quote the value
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) command.error('error: the key must be one line without spaces')
  return key
}

const isUrlNamed = (command: Command): boolean => command.getOptionValueSource('url') !== 'default'

const findLogin = (command: Command, io: CliIo): UsedLogin | undefined =>
  UsedLogin.find(io.configFolder(), isUrlNamed(command) ? command.opts<{ url: string }>().url : undefined)

/** Says who speaks, because nobody has named them. */
function asUser<Result>(io: CliIo, login: UsedLogin, work: (api: ApiAccess) => Promise<Result>): Promise<Result> {
  io.showProgress(`As ${printable(login.username ?? 'whoever has logged in')} at ${login.url}, by "login"\n`)
  const feed: typeof remoteFeed = (service, selection) => renewedFeed(login, remoteFeed(service, selection))
  return throughApi(login.url, () => login.accessToken(), feed, work)
}

/** The client is loaded on demand, so that other commands start faster. */
async function throughApi<Result>(
  baseUrl: string,
  credential: () => Promise<string>,
  feed: typeof remoteFeed,
  work: (api: ApiAccess) => Promise<Result>,
) {
  const client = await import('../client/index.ts')
  const remote = client.createClient({ baseUrl, credential: await credential() })
  try {
    return await work({
      targets: { allowPrivate: true, allowCidrs: [], proxyUrl: undefined },
      feed: (selection) => feed({ url: baseUrl, credential }, selection),
      trigger: (input) => remote.webhooks.test.mutate(input),
      replay: (input) => remote.deliveries.replay.mutate(input),
      explain: (input) => remote.requests.explain.query(input),
    })
  } catch (error) {
    if (!client.isFailedCall(error)) throw error
    throw new Refusal(client.problemOf(error) ?? { code: 'unreachable', message: unreachable(baseUrl, error) })
  }
}
