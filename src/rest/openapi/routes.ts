import type { AnyProcedure } from '@trpc/server'
import * as z from 'zod'
import type { Access } from '../../domain/access/admission.ts'
import { Problem } from '../../domain/core/problem.ts'
import { restRouter } from '../../routers/index.ts'
import type { Operation, OperationMeta } from '../../routers/operation-meta.ts'

type Procedure = AnyProcedure & { _def: { meta?: OperationMeta; inputs: z.ZodObject[] } }

/** What a form cannot express by itself, taken from the schema. */
export type Form = {
  /** What the operation takes. */
  names: ReadonlySet<string>
  /** In a form, one value of these fields is a list of one. */
  lists: ReadonlySet<string>
  /** In a form, an empty value of these fields is null. */
  nullables: ReadonlySet<string>
  bytesMax: number
}
export type RestRoute = {
  operation: Operation
  procedure: AnyProcedure
  /** What the procedure is called at /trpc. */
  name: string
  access: Access | undefined
  pattern: RegExp
  /** The schema of what it takes. */
  input: z.ZodObject
  /** Names of the input's fields. */
  fields: readonly string[]
  /** Whether it reads anything but parts of its path. */
  takesInput: boolean
  /** In a query, these fields are whole numbers. */
  numbers: readonly string[]
  /** Present when the operation takes a body, from which then all of its input comes: its path has no parameters. */
  form: Form | undefined
}

/** The REST operations, read from the router once. */
export const routes: readonly RestRoute[] = Object.entries(
  restRouter._def.procedures as unknown as Record<string, Procedure>,
).flatMap(([name, procedure]) => routeOf(name, procedure))

/** Routes without path parameters, found by their exact path. Most requests are for one of these. */
const exact = new Map<string, RestRoute>(
  routes.flatMap((route) => {
    const { method, path } = route.operation
    const bare = bareOf(path)
    return path.includes('{') ? [] : [bare, `${bare}/`].map((spelling) => [`${method} ${spelling}`, route] as const)
  }),
)

/** Finds the route of a request, or says why there is none: 404, or 405 with what the path does allow. */
export function findRoute(method: string, path: string): RestRoute {
  const route = routeAt(method, path)
  if (route) return route
  const here = routesAt(path)
  if (here.length === 0) throw new Problem('not_found', 'There is nothing at this path.')
  const allow = allowedMethods(here)
  throw new Problem('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow })
}

/** The route of a request, if there is one; HEAD is answered like GET. */
export function routeAt(method: string, path: string): RestRoute | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method
  const isIt = ({ operation, pattern }: RestRoute) => operation.method === wanted && pattern.test(path)
  return exact.get(`${wanted} ${path}`) ?? routes.find(isIt)
}

export const routesAt = (path: string): RestRoute[] => routes.filter(({ pattern }) => pattern.test(path))

/** What `Allow` says of a path; empty when nothing is there. */
export function allowedMethods(here: readonly RestRoute[]): string[] {
  const methods = new Set<string>(here.map(({ operation }) => operation.method))
  if (methods.has('GET')) methods.add('HEAD')
  return methods.size === 0 ? [] : [...methods, 'OPTIONS']
}

function routeOf(name: string, procedure: Procedure): RestRoute[] {
  const { meta: { operation, access } = {}, inputs } = procedure._def
  if (!operation) return []
  const [input = z.object({})] = inputs // what is declared without one takes nothing
  const shape: z.core.$ZodShape = input.shape
  const fields = Object.keys(shape)
  const having = (kind: string) => new Set(fields.filter((name) => kindsOf(shape[name]).includes(kind)))
  const takesBody = operation.method === 'POST' && fields.length > 0
  const { bodyBytesMax: bytesMax } = operation
  const form = takesBody
    ? { names: new Set(fields), lists: having('array'), nullables: having('nullable'), bytesMax }
    : undefined
  const numbers = [...having('number')]
  const takesInput = fields.some((field) => !operation.path.includes(`{${field}}`))
  const pattern = patternOf(operation.path)
  return [{ operation, procedure, name, access, pattern, input, fields, takesInput, numbers, form }]
}

/** Both spellings of a path match, and only the case that the specification uses. */
function patternOf(path: string): RegExp {
  const escaped = bareOf(path)
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{.+?\}/g, '[^/]+')
  return new RegExp(`^${escaped}/?$`)
}

/** The path without its last slash; empty for the root. */
function bareOf(path: string): string {
  return path.replace(/\/$/, '')
}

/** The types of a schema and of what it wraps, from the outermost: `optional`, `nullable`, `array`. */
function kindsOf(schema: z.core.$ZodType | undefined): string[] {
  if (schema === undefined) return []
  const { type, innerType } = schema._zod.def as { type: string; innerType?: z.core.$ZodType }
  return [type, ...kindsOf(innerType)]
}
