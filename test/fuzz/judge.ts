import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer, Attempt, Document, Operations } from './operations.ts'
import type { Schema } from './values.ts'

export type Reply = { status: number; headers: Headers; text: string }
/** `faults`: what the document does not allow. `refusal`: why a request was refused although the document allows it. */
export type Judgement = { faults: string[]; refusal?: string; value?: unknown }

/** Told by Node of any request, so no operation names it. */
const TOO_LARGE_A_HEAD = 431

/** Compares answers with what the document says of them. */
export class Judge {
  readonly operations: Operations
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false })
  readonly #validators = new Map<object, ReturnType<Ajv2020['compile']>>()

  constructor(document: Document, operations: Operations) {
    this.operations = operations
    this.#ajv.addSchema(document, 'document')
  }

  judge(attempt: Attempt, { status, headers, text }: Reply): Judgement {
    if (status >= 500) return { faults: [`${status}`] }
    if (status === TOO_LARGE_A_HEAD || isElsewhere(attempt)) return { faults: [] }
    const declared = attempt.operation.responses[status]
    if (!declared) return { faults: [`${status} is not declared`] }
    const faults = headers.get('x-request-id') ? [] : ['no X-Request-Id']
    const answer = this.operations.resolve(declared)
    const schema = answer.content?.['application/json']?.schema
    if (!schema || text === '') return { faults }
    const value = JSON.parse(text)
    const fault = this.#validate(schema, value)
    if (fault) return { faults: [...faults, `${status} is not as its schema: ${fault}`] }
    return status < 400 ? { faults, value } : { faults, ...judgeError(attempt, status, answer, value.error) }
  }

  #validate(schema: Schema, value: unknown): string | undefined {
    const check = this.#validators.get(schema) ?? this.#ajv.compile(rebased(schema))
    this.#validators.set(schema, check)
    return check(value) ? undefined : this.#ajv.errorsText(check.errors)
  }
}

type ErrorOfAnswer = { code: string; message: string }

function judgeError(
  attempt: Attempt,
  status: number,
  { description }: Answer,
  error: ErrorOfAnswer,
): Partial<Judgement> {
  const { code, message } = error
  if (!description.includes(`\`${code}\``)) return { faults: [`${status} ${code} is not declared`] }
  const { operation, method, isAllowed } = attempt
  const isOfInterest = status === 400 || (status === 401 && operation.path.startsWith('/v1/'))
  if (!isAllowed || !isOfInterest) return {}
  return { refusal: `${method} ${operation.path}: ${status} ${message.replaceAll(/".*"/g, '"…"')}` }
}

/** A path with an empty segment, or one that is resolved away, is that of another operation or of none. */
function isElsewhere({ operation, target }: Attempt): boolean {
  const segments = target.split('?', 1)[0]?.split('/') ?? []
  const isNone = (at: number) => ['', '.', '..'].includes(segments[at] ?? '')
  return operation.path.split('/').some((part, at) => part.startsWith('{') && isNone(at))
}

/** References of a part of the document, once the document has a name. */
function rebased(schema: Schema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}
