import type { Credentials } from './credentials.ts'
import type { Knowledge } from './knowledge.ts'
import {
  type Attempt,
  faultsOfAny,
  faultsOfError,
  type Judgement,
  type Reply,
  reasonOf,
  type Source,
} from './source.ts'
import { pick, type Random, type Schema, Values } from './values.ts'

type Tool = { name: string; inputSchema: Schema }
type Message = {
  result?: { isError?: boolean; content?: [{ text: string }] }
  /** A number is the protocol's own, a text is of our envelope. */
  error?: { code: number | string; message: string }
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** What agents call at /mcp, as it describes its tools itself. */
export class Agents implements Source {
  readonly #random: Random
  readonly #credentials: Credentials
  readonly #values: Values
  readonly #tools: readonly Tool[]

  private constructor(random: Random, knowledge: Knowledge, credentials: Credentials, tools: readonly Tool[]) {
    this.#random = random
    this.#credentials = credentials
    this.#values = new Values(
      random,
      (schema) => schema,
      (name) => knowledge.of(name),
    )
    this.#tools = tools
  }

  static async open(base: string, random: Random, knowledge: Knowledge, credentials: Credentials): Promise<Agents> {
    const [token = ''] = credentials.team.tokens
    const response = await fetch(`${base}/mcp`, {
      method: 'POST',
      headers: { ...HEADERS, authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const { result } = messageIn(await response.text()) as { result: { tools: Tool[] } }
    return new Agents(random, knowledge, credentials, result.tools)
  }

  get size(): number {
    return this.#tools.length
  }

  attempt(): Attempt {
    const { name, inputSchema } = pick(this.#random, this.#tools)
    const isWild = this.#random() < 1 / 3
    const given = isWild && this.#random() < 0.5 ? this.#values.wild() : this.#values.allowed(inputSchema)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
    const message = isWild && this.#random() < 0.3 ? this.#odd(call) : call
    const { headers, isGood } = this.#credentials.ofApi('POST', '/mcp')
    return {
      name: `/mcp ${name}`,
      noun: 'mcp',
      method: 'POST',
      target: '/mcp',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify(message) ?? '',
      judge: (reply) => judge(name, reply, isGood && !isWild),
    }
  }

  #odd(call: object): unknown {
    const name = pick(this.#random, ['method', 'params', 'id', 'jsonrpc'])
    return pick<() => unknown>(this.#random, [
      () => ({ ...call, [name]: this.#values.wild() }),
      () => [call, call],
      () => this.#values.wild(),
      () => ({ ...call, method: pick(this.#random, ['initialize', 'ping', 'tools/list', 'resources/list', 'x']) }),
    ])()
  }
}

function judge(name: string, reply: Reply, isAllowed: boolean): Judgement {
  const { status, text } = reply
  const faults = faultsOfAny(reply)
  if (text === '' || status >= 500) return { faults }
  const { result, error } = messageIn(text)
  if (error) return { faults: [...faults, ...faultsOfFailure(status, error)] }
  const { isError = false, content: [{ text: said }] = [{ text: '' }] } = result ?? {}
  if (!isError) return { faults, value: said.startsWith('{') ? JSON.parse(said) : undefined }
  const refused = JSON.parse(said).error as { code: string; message: string }
  if (refused.code === 'internal_error') faults.push(refused.code)
  const isOfInterest = isAllowed && refused.code === 'invalid_request'
  return { faults, ...(isOfInterest && { refusal: reasonOf(`/mcp ${name}`, 400, refused.message) }) }
}

const INTERNAL_ERROR = -32603
/** What the library of the protocol says of parameters that are not as they have to be: a list of its findings. */
const areParameters = (message: string) => message.startsWith('[')

function faultsOfFailure(status: number, { code, message }: NonNullable<Message['error']>): string[] {
  if (typeof code === 'string') return faultsOfError(status, { code, message })
  return code === INTERNAL_ERROR && !areParameters(message) ? [message] : []
}

/** As JSON, or as the one event of a stream. */
function messageIn(text: string): Message {
  const [, data = text] = /^data: ([^\n]*)/m.exec(text) ?? []
  return JSON.parse(data)
}
