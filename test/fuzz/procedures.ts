import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import * as z from 'zod'
import { appRouter } from '../../src/routers/index.ts'
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

type Kind = 'query' | 'mutation' | 'subscription'
type Declared = { _def: { type: Kind; inputs: z.ZodType[]; output?: z.ZodType } }
type Procedure = { name: string; noun: string; kind: Kind; input: Schema; validate: ValidateFunction | undefined }
type Call = { target: string; body: string | undefined; headers: Record<string, string>; isAllowed: boolean }

/** Seldom enough that many calls come as far as what the verb itself judges. */
const OPTIONAL = 0.3

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const declared = Object.entries(appRouter._def.procedures as unknown as Record<string, Declared>)

/** Everything at /trpc: what the console calls, and what is in no document. Inputs and outputs are as the router declares them. */
export class Procedures implements Source {
  readonly #random: Random
  readonly #knowledge: Knowledge
  readonly #credentials: Credentials
  readonly #list: readonly Procedure[] = declared.map(procedureOf)

  constructor(random: Random, knowledge: Knowledge, credentials: Credentials) {
    this.#random = random
    this.#knowledge = knowledge
    this.#credentials = credentials
  }

  get size(): number {
    return this.#list.length
  }

  attempt(): Attempt {
    const procedure = pick(this.#random, this.#list)
    const { name, noun, kind } = procedure
    const isWild = this.#random() < 1 / 3
    const { target, body, headers, isAllowed } = this.#call(procedure, isWild)
    const method = body === undefined ? 'GET' : 'POST'
    const credential = this.#credentials.ofProcedures(method, target)
    return {
      name: `/trpc/${name}`,
      noun,
      method,
      target,
      headers: { ...headers, ...credential.headers },
      body,
      isStream: kind === 'subscription',
      judge: (reply) => judge(procedure, reply, isAllowed),
    }
  }

  #call({ name, noun, kind, input }: Procedure, isWild: boolean): Call {
    const given = this.#input(input, noun, isWild)
    const isMisspelt = isWild && this.#random() < 0.05
    const text = isMisspelt ? pick(this.#random, ['', '{', '[]', 'null', '"\0"', '\ufeff{}']) : JSON.stringify(given)
    const path = `/trpc/${isMisspelt ? pick(this.#random, [name, `${name}.x`, '', '__proto__', 'a,b']) : name}`
    const isAllowed = !isWild
    if (kind === 'mutation')
      return { target: path, body: text, headers: { 'content-type': 'application/json' }, isAllowed }
    return {
      target: `${path}?input=${encodeURIComponent(text.toWellFormed())}`,
      body: undefined,
      headers: {},
      isAllowed,
    }
  }

  #input(input: Schema, noun: string, isWild: boolean): unknown {
    const values = new Values(
      this.#random,
      (schema) => schema,
      (name) => this.#knowledge.of(name, noun),
    )
    if (isWild && this.#random() < 0.1) return values.wild()
    const { properties = {}, required = [] } = input
    const names = Object.keys(properties).filter((name) => required.includes(name) || this.#random() < OPTIONAL)
    const kept = isWild && this.#random() < 0.2 ? names.slice(1) : names
    const give = (name: string) =>
      isWild && this.#random() < 0.5 ? values.wild() : values.allowed(properties[name] ?? {}, name)
    return Object.fromEntries(kept.map((name) => [name, give(name)]))
  }
}

function procedureOf([name, { _def }]: [string, Declared]): Procedure {
  const { type: kind, inputs, output } = _def
  const input = z.toJSONSchema(inputs[0] ?? z.object({}), { io: 'input', unrepresentable: 'any' })
  const noun = name.split('.').slice(0, -1).join('.')
  const schema = output && z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' })
  return { name, noun, kind, input: input as Schema, validate: schema && ajv.compile(schema) }
}

type Failure = { message: string; data?: { httpStatus?: number; problem?: { code: string; message: string } } }
type Body = { result?: { data?: unknown }; error?: Failure }

function judge(procedure: Procedure, reply: Reply, isAllowed: boolean): Judgement {
  const { status, text } = reply
  const faults = faultsOfAny(reply)
  if (procedure.kind === 'subscription' && status === 200) return judgeStream(text, faults)
  const { result, error } = JSON.parse(text) as Body
  if (error) {
    const { faults: found, message } = judgeFailure(error, status, text)
    const isOfInterest = isAllowed && status === 400
    const refusal = isOfInterest ? { refusal: reasonOf(`/trpc/${procedure.name}`, status, message) } : {}
    return { faults: [...faults, ...found], ...refusal }
  }
  if (!result || status !== 200) return { faults: [...faults, `${status} has neither a result nor an error`] }
  return { faults: [...faults, ...faultsOfResult(procedure, result.data)], value: result.data }
}

function judgeFailure({ message, data: { httpStatus, problem } = {} }: Failure, status: number, text: string) {
  if (!problem) return { faults: [`no problem: ${text}`], message }
  const saysTwoThings = httpStatus !== status || problem.message !== message
  return { faults: [...faultsOfError(status, problem), ...(saysTwoThings ? [`two things: ${text}`] : [])], message }
}

/** What has no result is left out of the answer. */
function faultsOfResult({ validate }: Procedure, data: unknown): string[] {
  if (data === undefined || validate === undefined || validate(data)) return []
  return [`not as its schema: ${ajv.errorsText(validate.errors)}`]
}

/** A refusal comes in the stream, behind its 200. */
function judgeStream(text: string, faults: string[]): Judgement {
  const [, failed] = /^event: serialized-error\ndata: ([^\n]*)/m.exec(text) ?? []
  if (failed === undefined) return { faults }
  const error = JSON.parse(failed) as Failure
  const { httpStatus = 0 } = error.data ?? {}
  if (httpStatus >= 500) return { faults: [...faults, `${httpStatus} in the stream`] }
  return { faults: [...faults, ...judgeFailure(error, httpStatus, failed).faults] }
}
