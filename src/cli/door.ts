import { type Command, InvalidArgumentError } from 'commander'
import type { OwnerContext } from '../domain/audit.ts'
import type { Context } from '../domain/context.ts'
import { isScope, type Scope, scopes } from '../domain/scopes.ts'

/** What a command may do besides calling verbs; the entry point knows how. */
export type Door = {
  /** Runs `work` over the database of the running service, or over one that is started for as long as it takes. */
  withContext: <Result>(work: (ctx: Context) => Promise<Result>) => Promise<Result>
  /** Writes to standard output. */
  write: (text: string) => void
  /** Writes one line to standard error. */
  complain: (line: string) => void
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

/** Makes a command of what it answers, with `--json` and examples in its help. */
export function answers(
  command: Command,
  { write }: Pick<Door, 'write'>,
  { examples, work }: { examples: readonly string[]; work: () => Promise<Shown> },
): void {
  const shown = examples.map((example) => `  $ npx developer-api ${example}`).join('\n')
  command
    .option('--json', 'print the answer as one line of JSON')
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
export const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]

/** `user:read,chat:read` as scopes. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${scopes.join(', ')}.`)
  return names.filter(isScope)
}

export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number above 0.')
  return count
}

/** `name: value` lines, aligned; a list is joined, null shows as a dash. */
export function table(facts: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${Array.isArray(value) ? value.join(' ') : (value ?? '-')}`)
    .join('\n')
}
