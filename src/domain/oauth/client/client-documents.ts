import type { Dispatcher } from 'undici'
import { Client } from 'undici'
import * as z from 'zod'
import { redirectUriProblem } from '../../applications/redirect-uris.ts'
import type { ClientDocument, ClientDocumentSource, TargetPolicy } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { parseUrl } from '../../core/url.ts'
import { type Connector, createConnector } from '../../webhooks/http/connector.ts'
import { localResolver, publicResolver, type Resolve } from '../../webhooks/http/dns.ts'
import { compileTargetPolicy, type TargetRules } from '../../webhooks/http/target-policy.ts'
import { checkTargetUrl } from '../../webhooks/http/target-url.ts'
import { keptMs } from './kept-ms.ts'

const DEADLINE_MS = 5_000
const BYTES_MAX = 64 * 1024
const ENTRIES_MAX = 500
const FETCHES_MAX = 20
/** For so long a document that is wrong is not asked for again. */
const REFUSAL_MS = 60_000

/** What we read of a document; everything else in it is ignored. */
const Document = z.object({
  client_id: z.string(),
  client_name: z.string().trim().min(1).max(100),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(20),
  token_endpoint_auth_method: z.literal('none').optional(),
})

type Entry = { until: number; document: Promise<ClientDocument | Problem> }
/** For tests: a private authority, names and a clock of their own. */
type Options = { tls?: { ca: string }; resolve?: Resolve; now?: () => number }

/** Whether a `client_id` is the address of a document, and not an identifier of ours. */
export const isDocumentUrl = (clientId: string): boolean => /^https:\/\//i.test(clientId)

/**
 * Fetches what applications say of themselves at the address that is their `client_id` (Client ID Metadata Documents): https
 * alone, by the rules for webhooks' targets, within five seconds, 64 KiB, without a redirect. Kept as HTTP says, for a day at most.
 */
export class ClientDocuments implements ClientDocumentSource {
  readonly #rules: TargetRules
  readonly #connect: Connector
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  #fetching = 0

  constructor(targets: TargetPolicy, { now = Date.now, ...given }: Options = {}) {
    const resolve = targets.allowPrivate ? localResolver() : publicResolver()
    this.#rules = compileTargetPolicy(targets)
    this.#connect = createConnector({ rules: this.#rules, resolve, ...given })
    this.#now = now
  }

  /** The document at an address. Throws `invalid_request`, which says what is wrong with it; `unavailable` when too many are fetched. */
  async find(clientId: string): Promise<ClientDocument> {
    const url = this.#allowedUrl(clientId)
    const known = this.#entries.get(clientId)
    const entry = known && known.until > this.#now() ? known : this.#fetch(clientId, url)
    const found = await entry.document
    if (found instanceof Problem) throw found
    return found
  }

  #allowedUrl(clientId: string): URL {
    const url = parseUrl(clientId)
    const isPlain = url?.protocol === 'https:' && url.pathname !== '/' && url.href === clientId
    if (!isPlain) throw wrong('must be an https address with a path, as browsers write it')
    try {
      return checkTargetUrl(this.#rules, clientId)
    } catch (cause) {
      throw wrong('is an address that is not asked', cause)
    }
  }

  #fetch(clientId: string, url: URL): Entry {
    if (this.#fetching >= FETCHES_MAX)
      throw new Problem('unavailable', 'Too many applications are looked up: try again.')
    this.#fetching++
    const entry: Entry = { until: Number.POSITIVE_INFINITY, document: Promise.resolve(wrong('is being fetched')) }
    entry.document = this.#read(clientId, url)
      .then(({ document, ms }) => {
        entry.until = this.#now() + ms
        return document
      })
      .catch((error: unknown) => {
        entry.until = this.#now() + REFUSAL_MS
        return error instanceof Problem ? error : wrong('has no document that could be read', error)
      })
      .finally(() => {
        this.#fetching--
      })
    this.#keep(clientId, entry)
    return entry
  }

  /** The oldest goes first. */
  #keep(clientId: string, entry: Entry) {
    this.#entries.delete(clientId)
    this.#entries.set(clientId, entry)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > ENTRIES_MAX && oldest !== undefined) this.#entries.delete(oldest)
  }

  async #read(clientId: string, url: URL) {
    const client = new Client(url.origin, { connect: this.#connect, allowH2: false, maxHeaderSize: 16_384 })
    try {
      const { statusCode, headers, body } = await client.request({
        path: url.pathname + url.search,
        method: 'GET',
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(DEADLINE_MS),
      })
      if (statusCode !== 200) throw wrong(`answers ${statusCode}, where 200 is wanted`)
      return { document: documentIn(clientId, url, await textOf(body)), ms: keptMs(headers) }
    } finally {
      client.destroy().catch(() => {})
    }
  }
}

async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw wrong('has a document of more than 64 KiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function documentIn(clientId: string, { host }: URL, text: string): ClientDocument {
  const { success, data, error } = Document.safeParse(JSON.parse(text))
  if (!success) throw wrong(`has a document in which ${error.issues[0]?.path.join('.') ?? 'something'} is wrong`)
  if (data.client_id !== clientId) throw wrong('has a document that names another client_id')
  const fault = data.redirect_uris.map(redirectUriProblem).find((one) => one !== undefined)
  if (fault !== undefined) throw wrong(`has a document with a redirect address that ${fault}`)
  return { host, name: data.client_name, redirectUris: data.redirect_uris }
}

const wrong = (why: string, cause?: unknown) => new Problem('invalid_request', `client_id: ${why}.`, { cause })
