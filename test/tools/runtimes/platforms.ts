import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium, launchChromium } from '../../support/chromium.ts'
import { freePort } from '../../support/free-port.ts'
import { write } from '../packed.ts'
import { tools } from '../support.ts'

/** Has `try-all.mjs` run in a folder where the SDK is installed; `bundled` is the same in one file. */
type Trial = { folder: string; bundled: string; settings: { wire: string } }
export type Platform = { name: string; file: string | undefined; run(file: string, trial: Trial): Promise<unknown> }

const ofTools = (path: string) => [join(tools, 'node_modules', path)].find((file) => existsSync(file))

/** Where the SDK says that it runs: each with its program, which is a package of `tools`; undefined where there is none for this machine. */
export const platforms: Platform[] = [
  { name: 'Node.js', file: process.execPath, run: (file, trial) => runScript(file, [], trial) },
  {
    name: 'Bun',
    file: ofTools('@oven/bun-linux-x64-baseline/bin/bun'),
    run: (file, trial) => runScript(file, [], trial),
  },
  {
    name: 'Deno',
    file: ofTools('@deno/linux-x64-glibc/deno'),
    run: (file, trial) => runScript(file, ['run', '--no-lock', '--allow-net', '--allow-env'], trial),
  },
  { name: 'Workers', file: ofTools('@cloudflare/workerd-linux-64/bin/workerd'), run: runWorker },
  { name: 'Chromium', file: findChromium(), run: runPage },
]

const SCRIPT = `import { tryAll } from './try-all.mjs'
console.log(JSON.stringify(await tryAll(JSON.parse(process.env.SETTINGS))))
`

async function runScript(file: string, words: string[], { folder, settings }: Trial): Promise<unknown> {
  write(folder, { 'main.mjs': SCRIPT })
  const { output, ended } = start(file, [...words, 'main.mjs'], folder, { SETTINGS: JSON.stringify(settings) })
  if ((await ended) !== 0) throw new Error(output())
  return JSON.parse(output())
}

/** A worker that is asked by a request, as all of them are. */
async function runWorker(file: string, { folder, bundled, settings }: Trial): Promise<unknown> {
  const port = await freePort()
  write(folder, { 'worker.js': `${bundled}\n${HANDLER}`, 'workerd.capnp': CONFIG.replace('PORT', String(port)) })
  const worker = start(file, ['serve', 'workerd.capnp'], folder)
  try {
    const base = `http://127.0.0.1:${port}`
    const response = await Promise.race([
      untilAnswered(base, JSON.stringify(settings)),
      worker.ended.then((status) => Promise.reject(new Error(`workerd ended with ${status}: ${worker.output()}`))),
    ])
    if (!response.ok) throw new Error(`${await response.text()}\n${worker.output()}`)
    return await response.json()
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended
  }
}

const HANDLER = `export default {
  fetch: async (request) => (request.method === 'HEAD' ? new Response() : Response.json(await tryAll(await request.json()))),
}
`
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2025-09-01",
    )),
    (name = "internet", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:PORT", http = (), service = "main")],
);
`

/** It does not say when it listens: it is asked until it answers. */
async function untilAnswered(base: string, body: string): Promise<Response> {
  for (;;) {
    const isThere = await fetch(base, { method: 'HEAD' }).then(
      () => true,
      () => false,
    )
    if (isThere) return fetch(base, { method: 'POST', body })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function runPage(file: string, { bundled, settings }: Trial): Promise<unknown> {
  await using chromium = await launchChromium(file)
  const { page } = await chromium.visit()
  await page.goto(`${settings.wire}/`)
  const script = `(async () => { ${bundled.replace(/export \{.*\};?\s*$/, '')}; return tryAll(${JSON.stringify(settings)}) })()`
  return await page.evaluate(script)
}

function start(file: string, words: string[], cwd: string, given: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', ...given }
  const child = spawn(file, words, { cwd, env })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk
    })
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal)
  return { child, ended, output: () => text }
}
