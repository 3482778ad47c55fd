import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDocument } from '../../src/rest/openapi/document.ts'
import { freePort } from '../support/free-port.ts'

export const tools = join(import.meta.dirname, '../../tools')
const ours = join(import.meta.dirname, '../../node_modules/.bin')
const theirs = join(tools, 'node_modules/.bin')
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', SCARF_ANALYTICS: 'false', CI: 'true' }

/** The program of a package: the project's own or one of `tools`. */
export const program = (name: string, isOurs = false) => join(isOurs ? ours : theirs, name)
export const environmentOfTools = { ...process.env, ...quiet, NO_COLOR: '1' }

/** Runs a program, which is JavaScript; its exit status says what it found, and is not thrown. */
export async function runTool(
  path: string,
  ...words: string[]
): Promise<{ status: number; output: string; stdout: string }> {
  const options = { env: environmentOfTools, cwd: tools, maxBuffer: 64 * 1024 * 1024 }
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, ...words], options)
    return { status: 0, output: stdout + stderr, stdout }
  } catch (error) {
    const { code = 1, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string }
    return { status: code, output: stdout + stderr, stdout }
  }
}

/** A folder of `tools`, where what is generated finds its packages, with a document of a service at `base`. */
export function folderWithDocument(base: string, create: (base: string) => object = createDocument) {
  const path = mkdtempSync(join(tools, '.generated-'))
  const document = join(path, 'openapi.json')
  writeFileSync(document, JSON.stringify(create(base)))
  return { path, document, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Prism between a client and the service at `base`: it hands on everything, and says what of it a document does not allow. */
export async function startPrism(document: string, base: string) {
  const port = await freePort()
  const words = [program('prism'), 'proxy', document, base, '--port', String(port)]
  const prism = spawn(process.execPath, words, { env: environmentOfTools, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(prism, 'exit')
  const listening = new Promise<void>((resolve) => {
    prism.stdout.on('data', (lines) => String(lines).includes('listening') && resolve()) // read on, or it would end
  })
  await Promise.race([listening, ended.then(() => Promise.reject(new Error('Prism has ended')))])
  return {
    base: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      prism.kill()
      await ended
    },
  }
}

type Violation = { location: string[]; message: string }

/** What Prism says of an exchange that the document does not allow: of the request, or of the answer. */
export function violationsOf({ headers }: Response, side: 'request' | 'response'): string[] {
  const all = JSON.parse(headers.get('sl-violations') ?? '[]') as Violation[]
  return all
    .filter(({ location: [at] }) => at === side)
    .map(({ location, message }) => `${location.join('.')}: ${message}`)
}
