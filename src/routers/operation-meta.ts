import type { OpenApiMeta } from 'trpc-to-openapi'
import type { Access } from '../domain/access/admission.ts'
import type { UserContext } from '../domain/core/context.ts'
import type { ProblemCode } from '../domain/core/problem.ts'
import type { Role } from '../shared/roles.ts'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Route = `${Method} /${string}`

/**
 * The envelope of a success in REST: `{ data }`, `{ data }` with a `Link` to the next page, or none. A feed is a page which always
 * has a next one, or a stream.
 */
export type Envelope = 'data' | 'page' | 'feed' | 'none'

/** Counts a call that is about to be made, by its input; returns what gives it back. */
export type CountBefore = (ctx: UserContext, input: never) => Promise<() => Promise<void>>

export type BodyExamples = Readonly<Record<string, Record<string, string>>>

/** A procedure as a REST operation, as `operation()` declares it. */
export type Operation = {
  id: string
  route: Route
  method: Method
  /** As the specification spells it, slash included. */
  path: `/${string}`
  status: 200 | 201 | 204
  envelope: Envelope
  isConstant: boolean
  /** Ours, beyond the specification: described in a document of its own. */
  isExtension: boolean
  /** Of the specification, and takes or gives more than that says: its schemas are among the extensions, in full. */
  isExtended: boolean
  problems: readonly ProblemCode[]
  /** What will be gone, or closed to somebody, in a sentence; undefined where nothing is. */
  destroys: string | undefined
  countBefore: CountBefore | undefined
  bodyBytesMax: number
  bodyExamples: BodyExamples | undefined
}
export type OperationMeta = OpenApiMeta<{
  operation?: Operation
  access?: Access
  /** What its caller has to be in the application that it is about. Left out: its owner. */
  role?: Role
  /** For a procedure at /trpc that may take longer than others by its nature. */
  deadlineMs?: number
}>
