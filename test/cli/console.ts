import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CliIo } from '../../src/cli/io.ts'
import { runProgram } from '../../src/cli/program.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Files with a secret each, as commands read them; gone when disposed of. */
export function secretFiles() {
  const folder = temporaryFolder()
  let made = 0
  const file = (secret: string) => {
    const path = join(folder.path, String(made++))
    writeFileSync(path, `${secret}\n`)
    return path
  }
  return Object.assign(file, { [Symbol.dispose]: () => folder[Symbol.dispose]() })
}

/** The command line over a context, or where there is no database, without a process of its own. */
export function createConsole(context?: Context, configFolder = '/nowhere', demoUrl?: string) {
  /** Runs one command and returns what a shell would see of it. */
  async function run(
    args: readonly string[],
    {
      input = '',
      isTerminal = false,
      onWrite = (_: string) => {},
      onProgress = (_: string) => {},
      stopping = new AbortController().signal,
    } = {},
  ) {
    const output = { stdout: '', stderr: '', progress: '' }
    const io: CliIo = {
      withContext: async (work) => {
        if (!context) throw new Error('There is no database here')
        return work(context)
      },
      write: (text) => {
        output.stdout += text
        onWrite(text)
      },
      printError: (line) => {
        output.stderr += `${line}\n`
      },
      paint: (tone, text) => (isTerminal ? `<${tone}>${text}` : text),
      readInput: async () => Buffer.from(input),
      isTerminal,
      showProgress: (text) => {
        output.progress += text
        onProgress(text)
      },
      configFolder: () => configFolder,
      demoUrl: async () => demoUrl,
      stopping: () => stopping,
      serve: async () => {},
      work: async () => {},
      migrate: async () => 0,
    }
    return { status: await runProgram(io, args), ...output }
  }

  /** What a command answers with --json, which is one line and nothing else. */
  const answerOf = (...args: string[]) => answerTo('', ...args)

  /** The same, with something on standard input. */
  async function answerTo(input: string, ...args: string[]) {
    const { status, stdout, stderr } = await run([...args, '--json'], { input })
    if (status !== 0 || stderr !== '' || stdout.trim().includes('\n')) throw new Error(`${args}: ${stderr}${stdout}`)
    return JSON.parse(stdout)
  }
  return { run, answerOf, answerTo }
}

/** Every command that there is, in the order of the help: those of a group with its name. */
export async function commandsThatExist(): Promise<string[]> {
  const listed = async (...group: string[]) => {
    const [, shown = ''] = (await createConsole().run([...group, '--help'])).stdout.split('Commands:\n')
    return [...shown.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
  }
  const nested = (await listed()).map(async (name) => {
    const own = await listed(name)
    return own.length === 0 ? [name] : own.map((one) => `${name} ${one}`)
  })
  return (await Promise.all(nested)).flat()
}
