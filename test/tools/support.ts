import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDocument } from '../../src/rest/openapi/document.ts'

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

/** A folder of `tools`, where what is generated finds its packages, with the document of a service at `base`. */
export function folderWithDocument(base: string) {
  const path = mkdtempSync(join(tools, '.generated-'))
  const document = join(path, 'openapi.json')
  writeFileSync(document, JSON.stringify(createDocument(base)))
  return { path, document, remove: () => rmSync(path, { recursive: true, force: true }) }
}
