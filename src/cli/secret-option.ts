import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { CliIo } from './io.ts'

type SecretOption = { name: 'key' | 'secret' | 'password'; env?: string; description: string }

/**
 * Adds `--NAME-file`, and the variable that does as well. A value among the arguments would stand in the list of processes, which
 * everybody on the machine may read, and in the shell's history: `--NAME` is there to be refused.
 */
export function addSecretOption(command: Command, { name, env, description }: SecretOption): Command {
  const given = new Option(`--${name} <${name}>`).hideHelp()
  const either = env === undefined ? '' : `; or ${env} in the environment`
  return command
    .addOption(env === undefined ? given : given.env(env))
    .option(`--${name}-file <file>`, `${description}: a file that holds it, "-" for standard input${either}`)
}

/** What a file, standard input or the environment says; undefined when nothing does. Ends the command when an argument does. */
export async function readSecret(
  command: Command,
  { readInput }: Pick<CliIo, 'readInput'>,
  name: SecretOption['name'],
): Promise<string | undefined> {
  if (isArgument(command, name)) command.error(`error: ${shown(name)}`)
  const file: unknown = command.getOptionValue(`${name}File`)
  if (typeof file !== 'string') return command.getOptionValue(name) as string | undefined // of the environment
  const text = file === '-' ? String(await readInput()) : readFileSync(file, 'utf8')
  return text.replace(/\r?\n$/, '')
}

export const isArgument = (command: Command, name: SecretOption['name']) => command.getOptionValueSource(name) === 'cli'

/** Why, and what to do instead. */
export const shown = (name: SecretOption['name']) =>
  `--${name} shows it to everybody on this machine: use --${name}-file, "-" for standard input`
