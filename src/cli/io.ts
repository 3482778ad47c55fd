import { type Command, InvalidArgumentError } from 'commander'
import type { Context, OwnerContext } from '../domain/core/context.ts'
import type { Page, PageRequest } from '../domain/core/paging.ts'
import { isScope, type Scope, scopes } from '../domain/core/scopes.ts'
import { isWebAddress } from '../domain/core/url.ts'
import { jsonLine } from './json-line.ts'

export type Tone = 'good' | 'bad'

/** What a command does besides calling verbs. The entry point implements it, and tests implement it differently. */
export type CliIo = {
  /** Runs `work` over the database of the running service, or over one that is started for the purpose. */
  withContext: <Result>(work: (ctx: Context) => Promise<Result>) => Promise<Result>
  /** Writes to standard output. */
  write: (text: string) => void
  /** Writes one line to standard error. */
  printError: (line: string) => void
  /** Colours a text, if standard output is a terminal that shows colours. */
  paint: (tone: Tone, text: string) => string
  /** All of standard input. */
  readInput: () => Promise<Buffer>
  /** Whether standard error, where progress is shown, is a terminal. */
  isTerminal: boolean
  showProgress: (text: string) => void
  /** The folder in which the user keeps what this command line is to remember of them. */
  configFolder: () => string
  /** The service with demo data whose configuration this is, where it was when it last started. */
  demoUrl: () => Promise<string | undefined>
  /** Aborts at SIGINT or SIGTERM. */
  stopping: () => AbortSignal
  serve: () => Promise<void>
  work: () => Promise<void>
  migrate: () => Promise<number>
}

/** What a command prints: `data` with `--json`, else `text`. With `failed` its status is 1 all the same. */
export type CommandOutput = { data: object; text: string; failed?: boolean }

/** Ends a command with status 1 when its output already says why. */
export class Unsuccessful extends Error {
  override readonly name = 'Unsuccessful'
}

/** A problem with a code: what the service answered to a command with a key, or what is not there. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: { code: string; message: string }

  constructor(problem: { code: string; message: string }) {
    super(problem.message)
    this.problem = problem
  }
}

const CREDENTIALS = `$ demo() { node -p "require('./.data/demo.json').$1"; }`

/** Lines before an example, with which it can be pasted in the project's folder while the service runs there with its demo data. */
export const demoLines = {
  /** `$(demo PATH)` is a value of `.data/demo.json`. */
  credentials: [CREDENTIALS],
  receiver: [
    CREDENTIALS,
    '$ curl -s "$(demo base_url)/docs/guides/receiver.mjs" > receiver.mjs',
    `$ export WEBHOOK_SECRET="whsec_$(node -p 'crypto.randomBytes(32).toString("base64")')"`,
    '$ node receiver.mjs 4000 > receiver.log & sleep 1',
  ],
} as const

/** A line of a shell that keeps a field of what a command or a call answers. */
export const keepField = (name: string, call: string, path: string): string =>
  `$ ${name}=$(${call} | node -p 'JSON.parse(fs.readFileSync(0)).${path}')`

/** Subscribes the application of the demo data, in `$SUBSCRIPTION`. */
export const subscriptionLines: readonly string[] = [
  ...demoLines.credentials,
  keepField(
    'SUBSCRIPTION',
    'curl -s "$(demo base_url)/v1/events/subscriptions" -H "Authorization: Bearer $(demo api_key)" -d url=http://127.0.0.1:4000/webhooks -d event_types=chat.message.sent',
    'data.id',
  ),
]

/** Gives a command its action, the option `--json`, and examples in its help; one that begins with `$ ` is another line of the shell. */
export function addAction(
  command: Command,
  { write }: Pick<CliIo, 'write'>,
  { examples, work }: { examples: readonly string[]; work: () => Promise<CommandOutput> },
): void {
  const shown = (example: string) => (example.startsWith('$ ') ? example : `$ npx developer-api ${example}`)
  const exampleLines = examples.map((example) => `  ${shown(example)}`).join('\n')
  command
    .option('--json', 'print the answer, or what went wrong, as one line of JSON')
    .addHelpText('after', `\nExamples:\n${exampleLines}`)
    .action(async () => {
      const { data, text, failed } = await work()
      write(command.opts<{ json?: boolean }>().json ? jsonLine(data) : `${text}\n`)
      if (failed) throw new Unsuccessful()
    })
}

/** Whoever can run commands on the machine of the database may change every application. */
export const asOperator = (ctx: Context): OwnerContext => ({ ...ctx, principal: { kind: 'operator' } })

/** For options that may be given more than once. */
export const repeatable = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]

/** `user:read,chat:read` as scopes. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${scopes.join(', ')}.`)
  return names.filter(isScope)
}

/** For options with a fixed set of values. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const match = words.find((word) => word === text)
    if (match === undefined) throw new InvalidArgumentError(`"${text}" is none of ${words.join(', ')}.`)
    return match
  }
}

/** All items of a paged list. */
export async function allOf<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 100, cursor })
    items.push(...page.items)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return items
}

export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number above 0.')
  return count
}

/** For options that take a URL. */
export function absoluteUrl(example: string): (text: string) => string {
  return (text) => {
    if (isWebAddress(text)) return text
    throw new InvalidArgumentError(`It must be an absolute http(s) URL, such as ${example}.`)
  }
}
