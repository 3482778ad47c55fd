import { spawn } from 'node:child_process'
import { environment } from './process.ts'

/** The blocks of commands in a text of Markdown, in their order. */
export const commandsOf = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

/** The examples in it that say which file they are, by their names. */
export const filesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [file, code]),
  )

/** A block whose status is above 0 when any of its commands failed, and not the last one alone. */
export function judged(block: string): string {
  const commands = block.trimEnd().split(/(?<!\\)\n/)
  const judgedCommands = commands.map((command) => (command.endsWith('&') ? command : `${command} || failed=1`))
  return ['failed=0', ...judgedCommands, '[ $failed = 0 ]'].join('\n')
}

/** One shell for several blocks, as a person has one: variables of a block are there in the next. */
export function openShell(given: Record<string, string>, cwd = process.cwd()) {
  const child = spawn('sh', [], { cwd, env: environment(given), stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let heard = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      heard()
    })
  }
  const END = /\nend of block (\d+)\n$/
  return {
    /** Runs a block and resolves with what it wrote and the status of its last command. */
    async run(block: string) {
      output = ''
      const ended = new Promise<RegExpExecArray>((resolve) => {
        heard = () => {
          const found = END.exec(output)
          if (found) resolve(found)
        }
      })
      child.stdin.write(`${block}\nprintf '\\nend of block %s\\n' $?\n`)
      const { index, 1: status } = await ended
      return { output: output.slice(0, index), status: Number(status) }
    },
    /** Resolves when what runs in the background has written what matches. */
    async untilWritten(pattern: RegExp) {
      await new Promise<void>((resolve) => {
        heard = () => {
          if (pattern.test(output)) resolve()
        }
        heard()
      })
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
