// For development: the service starts again and the console reloads by themselves when their sources change.
// Vite answers at PORT and hands on to the service, one port above, all that is not the console.
import { spawn } from 'node:child_process'
import { createServer } from 'vite'
import { buildOverlayIfStale } from './build.mjs'
import { patchPackages } from './patch.mjs'

patchPackages()
buildOverlayIfStale() // the service serves it as it is built

const { HOST: host = '127.0.0.1', PORT = '3000' } = process.env
const port = Number(PORT)
const { PUBLIC_URL = `http://${host}:${port}` } = process.env
const behind = { ...process.env, HOST: host, PORT: String(port + 1), PUBLIC_URL }

const proxy = { '^/(?!console/)': { target: `http://${host}:${behind.PORT}` } }
const console = await createServer({ server: { host, port, strictPort: true, proxy }, clearScreen: false })
await console.listen()

const service = spawn(process.execPath, ['--import', 'tsx', '--watch', 'src/main.ts'], {
  stdio: 'inherit',
  env: behind,
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal))
service.on('exit', async (code) => {
  await console.close()
  process.exitCode = code ?? 0
})
