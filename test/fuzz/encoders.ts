import type { Knowledge } from './knowledge.ts'
import { type Attempt, faultsOfError, type Reply, type Source } from './source.ts'
import type { Random } from './values.ts'
import { pick, type Schema, textOf, Values } from './values.ts'

const CALLS = ['publish', 'update_publish', 'publish_done', 'done', 'play', 'record_done']
const ACTIONS = ['publish', 'on_publish', 'update', 'on_hls', 'done', 'on_unpublish', 'on_play']
const text: Schema = { type: 'string', maxLength: 60 }
const connection: Schema = { type: 'integer', minimum: 0, maximum: 50 }

/** What media servers say of encoders: nginx-rtmp in a form, MediaMTX and SRS in JSON. */
const forms: Record<string, Record<string, Schema>> = {
  'application/x-www-form-urlencoded': {
    call: { enum: CALLS },
    clientid: connection,
    name: { enum: ['stream'] },
    key: text,
    addr: { enum: ['192.0.2.1', '2001:db8::1'] },
    app: text,
  },
  'application/json': {
    action: { enum: ACTIONS },
    id: connection,
    client_id: connection,
    path: { enum: ['live/stream'] },
    stream: { enum: ['stream'] },
    ip: { enum: ['192.0.2.1'] },
    key: text,
    password: text,
    token: text,
    query: { enum: ['key=x', 'a=b&key=%00'] },
    param: { enum: ['?key=x'] },
  },
}
const OK = [200, 204, 302]

/** The door of media servers, which is on a port of its own. */
export class Encoders implements Source {
  readonly size = Object.keys(forms).length * 2
  readonly #random: Random
  readonly #values: Values
  readonly #door: string

  constructor(random: Random, knowledge: Knowledge, door: string) {
    this.#random = random
    this.#door = door
    const known = (name: string) =>
      ['name', 'key', 'path', 'stream', 'password'].includes(name) ? knowledge.of('stream key') : []
    this.#values = new Values(random, (schema) => schema, known)
  }

  attempt(): Attempt {
    const isWild = this.#random() < 1 / 3
    const type = pick(this.#random, Object.keys(forms))
    const names = Object.entries(forms[type] ?? {}).filter(() => this.#random() < 0.8)
    const give = (name: string, schema: Schema) =>
      isWild && this.#random() < 0.4 ? this.#values.wild() : this.#values.allowed(schema, name)
    const fields = names.map(([name, schema]): [string, unknown] => [name, give(name, schema)])
    return {
      name: `ingest ${type}`,
      noun: 'ingest',
      method: 'POST',
      target: this.#door,
      headers: { 'content-type': type },
      body: type === 'application/json' ? JSON.stringify(Object.fromEntries(fields)) : formOf(fields),
      judge: (reply) => ({ faults: faultsOf(reply) }),
    }
  }
}

const formOf = (fields: [string, unknown][]) =>
  new URLSearchParams(fields.map(([name, value]): [string, string] => [name, textOf(value)])).toString()

function faultsOf({ status, text: said }: Reply): string[] {
  if (OK.includes(status)) return []
  return status >= 500 ? [`${status}`] : faultsOfError(status, JSON.parse(said).error)
}
