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

const URL_DEFAULT = 'http://127.0.0.1:3000'

/** The option by which a service is named. */
export const urlOption = (description: string) =>
  new Option('--url <url>', description).argParser(absoluteUrl(URL_DEFAULT)).env('DEVELOPER_API_URL')

export const URL_LEFT_OUT = `that of the demo data here, or ${URL_DEFAULT}, when left out`

/** The service that was named, or the one that is at hand. */
export const serviceUrl = async ({ demoUrl }: CliIo, named: string | undefined): Promise<string> =>
  named ?? (await demoUrl()) ?? URL_DEFAULT

const OF_APPLICATION =
  'an application by its API key or token with webhook:write, or as a user by theirs; without one as whoever has logged in ("login")'

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
  const url = urlOption(`the service to speak to with the key: its address without a path; ${URL_LEFT_OUT}`)
  const operator = new Option(
    '--operator',
    'speak as the operator, to the database of this machine, whoever has logged in',
  )
  return command.addOption(url).addOption(operator.conflicts('keyFile'))
}

/**
 * Runs `work` as the application of a key, which a file or the environment holds; else as whoever has logged in; else, and with
 * `--operator`, as the operator.
 */
export async function withApiAccess<Result>(
  command: Command,
  io: CliIo,
  work: (api: ApiAccess) => Promise<Result>,
): Promise<Result> {
  const { url, operator: isOperator = false } = command.opts<{ url?: string; operator?: boolean }>()
  const key = await readKey(command, io)
  if (isOperator) return io.withContext((ctx) => work(accessOfOperator(ctx)))
  if (url !== undefined) requireBareUrl(command, url)
  if (key !== undefined) return throughApi(await serviceUrl(io, url), async () => key, remoteFeed, work)
  const login = UsedLogin.find(io.configFolder(), url)
  if (login) return asUser(io, login, work)
  if (url !== undefined) command.error(`error: ${URL_ALONE}`)
  return io.withContext((ctx) => work(accessOfOperator(ctx)))
}

const URL_ALONE =
  '--url needs a key, or a login (npx developer-api login): without one a command works on the database of this machine'

function accessOfOperator(ctx: Context): ApiAccess {
  const operator = asOperator(ctx)
  return {
    targets: { ...ctx.targets, allowPrivate: true },
    feed: (selection) => localFeed(ctx, selection),
    trigger: (input) => testSubscription(operator, input),
    replay: (input) => replayDeliveries(operator, input),
    explain: (input) => explainRequest(operator, input),
  }
}

async function readKey(command: Command, io: CliIo): Promise<string | undefined> {
  const key = await readSecret(command, io, 'key')
  // checked here because the error of an option's parser would quote the value
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) command.error('error: the key must be one line without spaces')
  return key
}

/** Says who speaks, because nobody has named them, and what would reach what they do not. */
async function asUser<Result>(io: CliIo, login: UsedLogin, work: (api: ApiAccess) => Promise<Result>): Promise<Result> {
  io.showProgress(`As ${printable(login.username ?? 'whoever has logged in')} at ${login.url}, by "login"\n`)
  const feed: typeof remoteFeed = (service, selection) => renewedFeed(login, remoteFeed(service, selection))
  try {
    return await throughApi(login.url, (stopping) => login.accessToken(stopping), feed, work)
  } catch (error) {
    const advice = error instanceof Refusal ? adviceOf(error.problem.code, login.clientId) : undefined
    if (!(error instanceof Refusal) || advice === undefined) throw error
    const { code, message } = error.problem
    throw new Refusal({ code, message: `${message} ${advice}` })
  }
}

function adviceOf(code: string, clientId: string): string | undefined {
  switch (code) {
    case 'insufficient_scope':
      return 'Log in again, and name it: npx developer-api login --scopes …'
    case 'invalid_token':
      return 'Log in again: npx developer-api login'
    case 'unreachable':
      return AS_OPERATOR
    case 'not_found':
    case 'subscription_not_found':
      return `Your login reaches what ${clientId} does for you. For what an application does for itself give its API key (--key-file). ${AS_OPERATOR}`
    default:
      return undefined
  }
}

const AS_OPERATOR = 'For the database of this machine give --operator.'

/** The client is loaded on demand, so that other commands start faster. It asks for the credential at each call, for a replay may outlive one. */
async function throughApi<Result>(
  baseUrl: string,
  credential: (stopping?: AbortSignal) => Promise<string>,
  feed: typeof remoteFeed,
  work: (api: ApiAccess) => Promise<Result>,
) {
  const client = await import('../client/index.ts')
  const remote = client.createClient({ baseUrl, credential: () => credential() })
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
    if (error.cause instanceof Refusal) throw error.cause // a login that has ended
    throw new Refusal(client.problemOf(error) ?? { code: 'unreachable', message: unreachable(baseUrl, error) })
  }
}
