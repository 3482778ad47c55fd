import type { Credentials } from './credentials.ts'
import { Judge } from './judge.ts'
import type { Knowledge } from './knowledge.ts'
import { type Document, Operations } from './operations.ts'
import type { Attempt, Source } from './source.ts'
import { pick, type Random } from './values.ts'

/** The operations of a document, by credentials of every kind. */
export class Described implements Source {
  readonly #random: Random
  readonly #credentials: Credentials
  readonly #operations: Operations
  readonly #judge: Judge
  #noun = ''

  constructor(document: Document, random: Random, knowledge: Knowledge, credentials: Credentials) {
    this.#random = random
    this.#credentials = credentials
    this.#operations = new Operations(document, random, (name) => knowledge.of(name, this.#noun))
    this.#judge = new Judge(document, this.#operations)
  }

  get size(): number {
    return this.#operations.list.length
  }

  attempt(): Attempt {
    const operation = pick(this.#random, this.#operations.list)
    this.#noun = operation.path.split('/')[2] ?? ''
    const request = this.#operations.request(operation)
    const { method, target, body, isAllowed } = request
    const { headers, isGood } = this.#credentials.ofApi(method, target)
    const isStream = '200' in operation.responses && operation.path === '/v1/events' && this.#random() < 0.2
    const judged = { ...request, isAllowed: isAllowed && isGood }
    return {
      name: `${method} ${operation.path}`,
      noun: this.#noun,
      method,
      target,
      headers: { ...request.headers, ...headers, ...(isStream && { accept: 'text/event-stream' }) },
      body,
      isStream,
      judge: (reply) => this.#judge.judge(judged, reply),
    }
  }
}
