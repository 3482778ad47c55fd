import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { AskedFrom } from '../../src/domain/core/context.ts'
import { ClientDocuments } from '../../src/domain/oauth/client/client-documents.ts'
import { CALLBACK } from '../support/flows.ts'
import { authority, valid } from '../webhooks/support/certificates.ts'

export type Served = { status?: number; headers?: Record<string, string>; document?: object | string }

export const STRANGER: AskedFrom = { address: '192.0.2.1', isAllowed: false }

/** A site whose document the test writes, and what fetches it; `asked` counts requests. */
export async function createSite(
  answer: (url: string) => Served | Promise<Served> = (url) => ({ document: documentOf(url) }),
) {
  const site = { asked: 0, now: 0 }
  const listener: RequestListener = async (request, response) => {
    site.asked++
    const { status = 200, headers = {}, document = {} } = await answer(`${base}${request.url}`)
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
  const server = createServer(valid, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `https://hooks.example.com:${(server.address() as AddressInfo).port}`
  const documents = new ClientDocuments(
    { allowPrivate: true, allowCidrs: [], proxyUrl: undefined },
    {
      tls: { ca: authority },
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      now: () => site.now,
    },
  )
  return Object.assign(site, {
    url: `${base}/client.json`,
    base,
    documents,
    find: (url = `${base}/client.json`, asked: Partial<AskedFrom> = {}) =>
      documents.find(url, { ...STRANGER, ...asked }).then(
        ({ name }) => (name === NAME ? 'found' : name),
        (problem: Error) => problem.message,
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

export const NAME = 'A self-made client'
export const documentOf = (url: string, more: object = {}) => ({
  client_id: url,
  client_name: NAME,
  redirect_uris: [CALLBACK],
  ...more,
})
