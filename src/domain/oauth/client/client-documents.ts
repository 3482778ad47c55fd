import type { Dispatcher } from 'undici'
import { Client } from 'undici'
import * as z from 'zod'
import { redirectUriProblem } from '../../applications/redirect-uris.ts'
import type { AskedFrom, ClientDocument, ClientDocumentSource, TargetPolicy } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { parseUrl } from '../../core/url.ts'
import { faultOfName } from '../../names.ts'
import { type Connector, createConnector } from '../../webhooks/http/connector.ts'
import { localResolver, publicResolver, type Resolve } from '../../webhooks/http/dns.ts'
import { compileTargetPolicy, type TargetRules } from '../../webhooks/http/target-policy.ts'
import { checkTargetUrl } from '../../webhooks/http/target-url.ts'
import { DocumentShelf } from './document-shelf.ts'
import { FetchPlaces } from './fetch-places.ts'
import { keptMs } from './kept-ms.ts'

const DEADLINE_MS = 5_000
const BYTES_MAX = 64 * 1024
/** Of applications that nobody has allowed anything: what strangers name takes nothing from what people use. */
const STRANGERS_MAX = 500
const ALLOWED_MAX = 1_000
const PLACES = { all: 100, ofNetwork: 4, ofSite: 8 }
/** For so long a document that is wrong is not asked for again. */
const REFUSAL_MS = 60_000
/** For so long behind its time at most, and for no longer than it was fresh, a document is used while a new one is fetched. */
const STALE_MS = 3_600_000

/** What we read of a document; everything else in it is ignored. */
const Document = z.object({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(20),
  token_endpoint_auth_method: z.literal('none').optional(),
})

/** `isRenewed`: a new one is being fetched, and takes its place. */
type Entry = { until: number; staleUntil: number; isRenewed: boolean; document: Promise<ClientDocument | Problem> }
const UNDER_WAY = { until: Number.POSITIVE_INFINITY, staleUntil: Number.POSITIVE_INFINITY, isRenewed: false }
/** For tests: a private authority, names and a clock of their own. */
type Options = { tls?: { ca: string }; resolve?: Resolve; now?: () => number }

/** Whether a `client_id` is the address of a document, and not an identifier of ours. */
export const isDocumentUrl = (clientId: string): boolean => /^https:\/\//i.test(clientId)

/**
 * Fetches what applications say of themselves at the address that is their `client_id` (Client ID Metadata Documents): https
 * alone, by the rules for webhooks' targets, within five seconds, 64 KiB, without a redirect, a few at a time for one network. Kept as
 * HTTP says, for a day at most, and for as long again, an hour at most, while a new one is fetched.
 */
export class ClientDocuments implements ClientDocumentSource {
  readonly #rules: TargetRules
  readonly #connect: Connector
  readonly #now: () => number
  readonly #strangers = new DocumentShelf<Entry>(STRANGERS_MAX)
  readonly #allowed = new DocumentShelf<Entry>(ALLOWED_MAX)
  readonly #places = new FetchPlaces(PLACES)

  constructor(targets: TargetPolicy, { now = Date.now, ...given }: Options = {}) {
    const resolve = targets.allowPrivate ? localResolver() : publicResolver()
    this.#rules = compileTargetPolicy(targets)
    this.#connect = createConnector({ rules: this.#rules, resolve, ...given })
    this.#now = now
  }

  /** Whether `find` answers without waiting for anybody who is not asked already. */
  isKept(clientId: string, isAllowed: boolean): boolean {
    return (this.#entryOf(clientId, isAllowed)?.staleUntil ?? 0) > this.#now()
  }

  /**
   * The document at an address. Throws `invalid_request`, which says what is wrong with it; `unavailable` when too many are fetched for
   * the network of whoever asks, or for all.
   */
  async find(clientId: string, asked: AskedFrom): Promise<ClientDocument> {
    const url = this.#allowedUrl(clientId)
    const found = await this.#currentOf(clientId, url, asked).document
    if (found instanceof Problem) throw found
    return found
  }

  #currentOf(clientId: string, url: URL, asked: AskedFrom): Entry {
    const known = this.#entryOf(clientId, asked.isAllowed)
    const now = this.#now()
    if (known && known.until > now) return known
    if (known && known.staleUntil > now) {
      known.isRenewed ||= this.#fetch(clientId, url, asked) !== undefined
      return known
    }
    const entry = this.#fetch(clientId, url, asked)
    if (!entry) throw new Problem('unavailable', 'Too many applications are looked up: try again.', { retryAfterS: 5 })
    this.#shelfOf(asked.isAllowed).set(clientId, entry)
    return entry
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

  /** Fetched for as long as `until` says nothing else. Undefined where whoever asks has no place left. */
  #fetch(clientId: string, url: URL, { address, isAllowed }: AskedFrom): Entry | undefined {
    const giveBack = this.#places.take(address)
    if (!giveBack) return undefined
    const entry: Entry = { ...UNDER_WAY, document: Promise.resolve(wrong('is being fetched')) }
    entry.document = this.#read(clientId, url)
      .then(({ document, ms }) => {
        entry.until = this.#now() + ms
        entry.staleUntil = entry.until + Math.min(ms, STALE_MS)
        return document
      })
      .catch((error: unknown) => {
        entry.until = this.#now() + REFUSAL_MS
        entry.staleUntil = entry.until
        return error instanceof Problem ? error : wrong('has no document that could be read', error)
      })
      .finally(() => {
        giveBack()
        if (this.#entryOf(clientId, isAllowed)?.isRenewed) this.#shelfOf(isAllowed).set(clientId, entry)
      })
    return entry
  }

  #shelfOf = (isAllowed: boolean) => (isAllowed ? this.#allowed : this.#strangers)

  /** What somebody has just allowed is among the strangers still. */
  #entryOf(clientId: string, isAllowed: boolean): Entry | undefined {
    const own = this.#shelfOf(isAllowed).get(clientId)
    const moved = own || !isAllowed ? undefined : this.#strangers.get(clientId)
    if (!moved) return own
    this.#strangers.delete(clientId)
    this.#allowed.set(clientId, moved)
    return moved
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
  const nameFault = faultOfName(data.client_name)
  if (nameFault !== undefined) throw wrong(`has a document whose client_name ${nameFault}`)
  if (data.client_id !== clientId) throw wrong('has a document that names another client_id')
  const fault = data.redirect_uris.map(redirectUriProblem).find((one) => one !== undefined)
  if (fault !== undefined) throw wrong(`has a document with a redirect address that ${fault}`)
  return { host, name: data.client_name.trim(), redirectUris: data.redirect_uris }
}

const wrong = (why: string, cause?: unknown) => new Problem('invalid_request', `client_id: ${why}.`, { cause })
