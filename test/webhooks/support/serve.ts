import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Context } from '../../../src/domain/core/context.ts'
import { createHttpServer } from '../../../src/rest/http/server.ts'

/** The HTTP service over a context: its address, and how many requests it has had. */
export async function serve(context: Context) {
  const { log, publicUrl } = context
  const server = createHttpServer({ contextOf: () => context, log, publicUrl, trustProxy: 0 })
  const served = { base: '', calls: 0 }
  server.on('request', () => served.calls++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  served.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(served, { [Symbol.asyncDispose]: close })
}
