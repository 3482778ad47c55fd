import { build, preview } from 'vite'
import { freePort } from '../support/free-port.ts'

/** All of an entry in one file, as a page or a worker gets it. */
export async function bundleOf(entry: string, minify = true): Promise<string> {
  const lib = { entry, formats: ['es' as const], fileName: 'all' }
  const output = await build({ configFile: false, logLevel: 'error', build: { write: false, minify, lib } })
  const [{ output: chunks } = { output: [] }] = [output].flat() as { output: { code?: string }[] }[]
  return chunks.map(({ code = '' }) => code).join('')
}

/** What Vite builds of a folder, served at any path. */
export async function servePage(root: string) {
  const plain = { root, configFile: false, logLevel: 'error' } as const
  await build({ ...plain, build: { target: 'es2022' } })
  const port = await freePort()
  const server = await preview({ ...plain, preview: { host: '127.0.0.1', port, strictPort: true } })
  return { base: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.close() }
}
