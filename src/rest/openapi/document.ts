import { generateOpenApiDocument } from 'trpc-to-openapi'
import type { ProblemCode } from '../../domain/core/problem.ts'
import { problems } from '../../domain/core/problem-table.ts'
import { apiVersion } from '../../domain/core/version.ts'
import { subscribableTypes } from '../../domain/events/types.ts'
import { restRouter } from '../../routers/index.ts'
import type { Operation, OperationMeta } from '../../routers/operation-meta.ts'
import { feedComponents, feedParameters, feedSuccess } from './document-feed.ts'
import {
  type Body,
  bodyOf,
  type DescribedParameter,
  isRepeatable,
  parameterComponents,
  parametersOf,
} from './document-inputs.ts'
import {
  envelopeComponents,
  failureOf,
  headerComponents,
  isConditional,
  type JsonObject,
  type Response,
  successOf,
  unchanged,
} from './document-responses.ts'
import { portable, withExtensions } from './document-schemas.ts'
import { securityOf } from './document-security.ts'
import { describedTags, description, extensionsDescription } from './document-texts.ts'
import { describeWebhooks } from './document-webhooks.ts'
import { payloadComponents } from './payload-schemas.ts'
import { type RestRoute, routes } from './routes.ts'
import { securitySchemes } from './security-schemes.ts'

type Described = {
  operationId: string
  tags: string[]
  requestBody?: Body
  parameters?: DescribedParameter[]
  responses: Record<string, Response>
}
type Documented = Omit<Described, 'parameters'> & { parameters: JsonObject[]; security: JsonObject[] }

/** The OpenAPI document of the specification, and of the webhooks. */
export function createDocument(publicUrl: string) {
  const schemas = payloadComponents(['webhook.test', ...subscribableTypes], 'draft-2020-12')
  const described = describe(publicUrl, { title: 'Developer API', description, isExtension: false, schemas })
  return { ...described, webhooks: describeWebhooks() }
}

/** The same of what is ours beyond the specification. */
export function createExtensionsDocument(publicUrl: string) {
  return describe(publicUrl, {
    title: 'Developer API, beyond its specification',
    description: extensionsDescription,
    isExtension: true,
    schemas: feedComponents,
  })
}

type Part = {
  title: string
  description: string
  /** Which operations are described. */
  isExtension: boolean
  /** Schemas that no operation's procedure names. */
  schemas: JsonObject
}

/** What trpc-to-openapi derives, plus the statuses, envelopes, scopes and slashes it cannot express. */
function describe(publicUrl: string, { title, description, isExtension, schemas }: Part) {
  const isIn = (operation: Operation) => operation.isExtension === isExtension || (isExtension && operation.isExtended)
  const generated = generateOpenApiDocument<OperationMeta>(restRouter, {
    title,
    description,
    version: apiVersion,
    baseUrl: publicUrl,
    tags: [],
    filter: ({ metadata }) => metadata.operation !== undefined && isIn(metadata.operation),
  })
  const { openapi, info, servers } = generated
  const shown = <Part>(part: Part) => withExtensions(portable(part), isExtension)
  const found = shown((generated.paths ?? {}) as unknown as Record<string, Record<string, Described>>)
  const named: JsonObject = shown({ ...schemas, ...withoutErrors(generated.components?.schemas ?? {}) })
  const paths: Record<string, Record<string, Documented>> = {}
  for (const route of routes.filter(({ operation }) => isIn(operation))) {
    const { method: wanted, path, route: line } = route.operation
    const method = wanted.toLowerCase()
    const derived = found[path.replace(/(?<=.)\/$/, '')]?.[method]
    if (!derived) throw new Error(`trpc-to-openapi did not describe ${line}`)
    const body = route.form && derived.requestBody && bodyOf(route, derived.requestBody)
    if (body) named[body.name] = body.schema
    // a path is in one document: of what takes or gives more than the specification says, the other has the schemas
    if (route.operation.isExtension === isExtension)
      paths[path] = { ...paths[path], [method]: repair(route, derived, body?.body) }
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const text = JSON.stringify(operations)
  return {
    openapi,
    info: {
      ...info,
      contact: { name: 'Developer API', url: `${publicUrl}/docs/guides/` },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers,
    tags: describedTags.filter(({ name }) => operations.some(({ tags }) => tags.includes(name))),
    externalDocs: { description: 'Guides', url: `${publicUrl}/docs/guides/` },
    paths,
    components: {
      schemas: Object.assign(named, envelopeComponents),
      parameters: only(parameterComponents, (name) => text.includes(`#/components/parameters/${name}"`)),
      headers: only(headerComponents, (name) => text.includes(`#/components/headers/${name}"`)),
      securitySchemes: only(securitySchemes(publicUrl), (name) => text.includes(`{"${name}":[`)),
    },
  }
}

/** The components that are used. */
const only = <Component>(components: Record<string, Component>, isUsed: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(components).filter(([name]) => isUsed(name)))

function repair(route: RestRoute, found: Described, body: Body | undefined): Documented {
  const { operation } = route
  const isFeed = operation.envelope === 'feed'
  const codes = [
    ...new Set([...operation.problems, ...inputProblems(route), ...clockProblems(route), ...loadProblems(route)]),
  ]
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort()
  const schema = found.responses['200']?.content?.['application/json'].schema
  const responses = {
    [operation.status]: isFeed ? feedSuccess : successOf(operation, schema),
    ...(isConditional(operation) && { 304: unchanged }),
    ...Object.fromEntries(statuses.map((status) => [status, failureOf(status, codesOf(codes, status))])),
  }
  const { requestBody, parameters = [], ...described } = found
  return {
    ...described,
    parameters: [...parametersOf(route, parameters), ...(isFeed ? feedParameters : [])],
    ...(body && { requestBody: body }),
    security: securityOf(route),
    responses,
  }
}

const codesOf = (codes: ProblemCode[], status: number) => codes.filter((code) => problems[code].status === status)

/** The failures that follow from taking any input, and from taking a body. */
function inputProblems(route: RestRoute): ProblemCode[] {
  const { takesInput, form } = route
  const repeatable: ProblemCode[] = isRepeatable(route) ? ['idempotency_mismatch'] : []
  if (form) return ['invalid_request', 'payload_too_large', 'unsupported_media_type', ...repeatable]
  return takesInput ? ['invalid_request'] : []
}

const clockProblems = ({ access }: RestRoute): ProblemCode[] =>
  access?.kind === 'cron' ? ['unauthorized', 'invalid_token'] : []

/** Everything but the liveness check waits for a place or for the database, which may both be away. */
const loadProblems = ({ operation }: RestRoute): ProblemCode[] =>
  operation.route === 'GET /health/' ? [] : ['unavailable']

const withoutErrors = (schemas: object): JsonObject =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.startsWith('error.')))
