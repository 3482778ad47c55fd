import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { write } from './packed.ts'
import { environmentOfTools, program } from './support.ts'

const LAYOUT = 'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n'
const CONFIG = 'export default { typescript: { ignoreBuildErrors: true } }\n' // they are looked for elsewhere

/** A program of Next.js in a folder; the service that it calls is in this process, so nothing here waits in its way. */
function next(cwd: string, given: Record<string, string>, ...words: string[]) {
  const env = { ...environmentOfTools, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const, ...given }
  const child = spawn(process.execPath, [program('next'), ...words], { cwd, env })
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal)
  let output = ''
  const isReady = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk
        if (/Ready in/.test(output)) resolve()
      })
  })
  return { child, isReady, ended, output: () => output }
}

/** A site that Next.js has built of a page (`app/page.tsx`) and serves; `show` is what somebody is shown who opens it. */
export async function serveByNext(site: string, page: string, env: Record<string, string>) {
  write(site, { 'app/page.tsx': page, 'app/layout.tsx': LAYOUT, 'next.config.mjs': CONFIG })
  const built = next(site, env, 'build')
  const status = await built.ended
  expect({ status, output: status === 0 ? '' : built.output() }).toEqual({ status: 0, output: '' })

  const port = String(await freePort())
  const server = next(site, env, 'start', '--hostname', '127.0.0.1', '--port', port)
  await Promise.race([server.isReady, server.ended.then(() => Promise.reject(new Error(server.output())))])
  return {
    async show(headers: Record<string, string> = {}): Promise<string> {
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
      const text = await response.text()
      expect(response.status, text + server.output()).toBe(200)
      return text
    },
    [Symbol.asyncDispose]: async () => {
      server.child.kill('SIGKILL')
      await server.ended
    },
  }
}
