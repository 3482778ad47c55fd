import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer, Document, Operations, Request } from './operations.ts'
import { faultsOfAny, faultsOfError, type Judgement, type Reply, reasonOf } from './source.ts'
import type { Schema } from './values.ts'

/** Compares answers with what the document says of them. */
export class Judge {
  readonly #operations: Operations
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false })
  readonly #validators = new Map<object, ReturnType<Ajv2020['compile']>>()

  constructor(document: Document, operations: Operations) {
    this.#operations = operations
    this.#ajv.addSchema(document, 'document')
  }

  judge(request: Request, reply: Reply): Judgement {
    const { status, text } = reply
    if (status < 500 && isElsewhere(request)) return { faults: [] }
    const found = faultsOfAny(reply)
    const declared = request.operation.responses[status]
    if (!declared) return { faults: [...found, `${status} is not declared`] }
    if (text === '') return { faults: found }
    const { faults, ...judged } = this.#judgeBody(request, reply, this.#operations.resolve(declared))
    return { faults: [...found, ...faults], ...judged }
  }

  #judgeBody(request: Request, { status, headers, text }: Reply, answer: Answer): Judgement {
    const type = headers.get('content-type')?.split(';', 1)[0] ?? ''
    const schema = answer.content?.[type]?.schema
    if (!schema) return { faults: [`${status} is of the type ${type}`] }
    if (type !== 'application/json') return { faults: [] }
    const value = JSON.parse(text)
    const fault = this.#validate(schema, value)
    if (fault) return { faults: [`${status} is not as its schema: ${fault}`] }
    return status < 400 ? { faults: [], value } : judgeError(request, status, answer, value.error)
  }

  #validate(schema: Schema, value: unknown): string | undefined {
    const check = this.#validators.get(schema) ?? this.#ajv.compile(rebased(schema))
    this.#validators.set(schema, check)
    return check(value) ? undefined : this.#ajv.errorsText(check.errors)
  }
}

/** What no schema can tell, and the descriptions do: of two fields that need or exclude each other. */
const TOLD =
  /^(?:key: is one credential|since: cannot be given together|client_assertion(?:_type)?: |client_(?:id|secret): .*Basic|client_secret: the client has|\w+: is required\.$)/

type ErrorOfAnswer = { code: string; message: string }

function judgeError(request: Request, status: number, { description }: Answer, error: ErrorOfAnswer): Judgement {
  const { operation, method, isAllowed } = request
  const { code, message } = error
  const faults = faultsOfError(status, error)
  if (!description.includes(`\`${code}\``)) faults.push(`${status} ${code} is not declared`)
  const isOfInterest = status === 400 || (status === 401 && operation.path.startsWith('/v1/'))
  if (!isAllowed || !isOfInterest) return { faults }
  if (code === 'invalid_request' && !TOLD.test(message)) faults.push(`allowed, and refused: ${message}`)
  return { faults, refusal: reasonOf(`${method} ${operation.path}`, status, message) }
}

/** A path with an empty segment, or one that is resolved away, is that of another operation or of none. */
function isElsewhere({ operation, target }: Request): boolean {
  const segments = target.split('?', 1)[0]?.split('/') ?? []
  const isNone = (at: number) => ['', '.', '..'].includes(segments[at] ?? '')
  return operation.path.split('/').some((part, at) => part.startsWith('{') && isNone(at))
}

/** References of a part of the document, once the document has a name. */
function rebased(schema: Schema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}
