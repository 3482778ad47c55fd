import { type Command, InvalidArgumentError } from 'commander'
import type { Context, OwnerContext } from '../domain/core/context.ts'
import type { Page, PageRequest } from '../domain/core/paging.ts'
import { isScope, type Scope, scopes } from '../domain/core/scopes.ts'
import { isWebAddress } from '../domain/core/url.ts'

type Tone = 'good' | 'bad'

/** What a command may do besides calling verbs; the entry point knows how. */
export type CliIo = {
  /** Runs `work` over the database of the running service, or over one that is started for as long as it takes. */
  withContext: <Result>(work: (ctx: Context) => Promise<Result>) => Promise<Result>
  /** Writes to standard output. */
  write: (text: string) => void
  /** Writes one line to standard error. */
  complain: (line: string) => void
  /** Colours a text for standard output, where a person looks at it and wants colours. */
  paint: (tone: Tone, text: string) => string
  /** All of standard input. */
  readInput: () => Promise<Buffer>
  /** Whether a person looks at standard error, where progress is shown. */
  isTerminal: boolean
  showProgress: (text: string) => void
  /** Aborts when the command is told to stop. */
  stopping: () => AbortSignal
  serve: () => Promise<void>
  work: () => Promise<void>
  migrate: () => Promise<number>
}

/** What a command answers: for programs (`--json`), and for people. `isBad` makes its status 1 although it answered. */
export type Shown = { data: object; text: string; isBad?: boolean }

/** Ends a command with status 1 when everything was said. */
export class Unsuccessful extends Error {
  override readonly name = 'Unsuccessful'
}

/** What the service answered to a command that spoke to it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: { code: string; message: string }

  constructor(problem: { code: string; message: string }) {
    super(problem.message)
    this.problem = problem
  }
}

/** Makes a command of what it answers, with `--json` and examples in its help. */
export function answers(
  command: Command,
  { write }: Pick<CliIo, 'write'>,
  { examples, work }: { examples: readonly string[]; work: () => Promise<Shown> },
): void {
  const shown = examples.map((example) => `  $ npx developer-api ${example}`).join('\n')
  command
    .option('--json', 'print the answer, or what went wrong, as one line of JSON')
    .addHelpText('after', `\nExamples:\n${shown}`)
    .action(async () => {
      const { data, text, isBad } = await work()
      write(command.opts<{ json?: boolean }>().json ? `${JSON.stringify(data)}\n` : `${text}\n`)
      if (isBad) throw new Unsuccessful()
    })
}

/** Whoever can run commands here may touch every application. */
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

/** For options that take one of a few words. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text)
    if (found === undefined) throw new InvalidArgumentError(`"${text}" is none of ${words.join(', ')}.`)
    return found
  }
}

/** Every item of a list that verbs give page by page. */
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

/** For options that take the address of something on the network. */
export function absoluteUrl(example: string): (text: string) => string {
  return (text) => {
    if (isWebAddress(text)) return text
    throw new InvalidArgumentError(`It must be an absolute http(s) URL, such as ${example}.`)
  }
}
