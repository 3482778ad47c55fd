import type { OpenApiMeta } from 'trpc-to-openapi'
import type { Access } from '../domain/access/admission.ts'
import type { ProblemCode } from '../domain/core/problem.ts'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Route = `${Method} /${string}`

/** The envelope of a success in REST: `{ data }`, `{ data }` with a `Link` to the next page, or none. */
export type Envelope = 'data' | 'page' | 'none'

/** A procedure as a REST operation, as `operation()` declares it. */
export type Operation = {
  route: Route
  method: Method
  /** As the specification spells it, slash included. */
  path: `/${string}`
  status: 200 | 201 | 204
  envelope: Envelope
  isConstant: boolean
  problems: readonly ProblemCode[]
  bodyBytesMax: number
}
export type OperationMeta = OpenApiMeta<{ operation?: Operation; access?: Access }>
