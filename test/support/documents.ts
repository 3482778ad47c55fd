import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { environment } from './process.ts'

/** The blocks of a document that are marked with a language, in their order. */
export function blocksOf(document: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return [...readFileSync(document, 'utf8').matchAll(fence)].map(([, block = '']) => block)
}

/** One shell for several blocks, as a person has one: variables of a block are there in the next. */
export function openShell(given: Record<string, string>) {
  const child = spawn('sh', [], { env: environment(given), stdio: ['pipe', 'pipe', 'pipe'] })
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
    [Symbol.dispose]: () => void child.kill(),
  }
}
