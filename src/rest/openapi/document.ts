import { generateOpenApiDocument } from 'trpc-to-openapi'
import type { ProblemCode } from '../../domain/core/problem.ts'
import { problems } from '../../domain/core/problem-table.ts'
import { apiVersion } from '../../domain/core/version.ts'
import { restRouter } from '../../routers/index.ts'
import { scopeDescriptions } from '../../shared/scope-descriptions.ts'
import {
  envelopeComponents,
  failureOf,
  headerComponents,
  type JsonObject,
  type Response,
  successOf,
} from './document-responses.ts'
import { describedTags, description } from './document-texts.ts'
import { type RestRoute, routes } from './routes.ts'

type Body = { content: Record<string, { schema: { properties: Record<string, object> } }> }
type Described = {
  requestBody?: Body
  parameters?: JsonObject[]
  responses: Record<string, Response>
  security?: JsonObject[]
}

/** The OpenAPI document: what trpc-to-openapi derives, plus the statuses, envelopes, scopes and slashes it cannot express. */
export function createDocument(publicUrl: string) {
  const generated = generateOpenApiDocument(restRouter, {
    title: 'Developer API',
    description,
    version: apiVersion,
    baseUrl: publicUrl,
    tags: [],
  })
  const { openapi, info, servers, components } = generated
  const described = (generated.paths ?? {}) as unknown as Record<string, Record<string, Described>>
  const paths: Record<string, Record<string, Described>> = {}
  for (const route of routes) {
    const { method: wanted, path, route: line } = route.operation
    const method = wanted.toLowerCase()
    const found = described[path.replace(/(?<=.)\/$/, '')]?.[method]
    if (!found) throw new Error(`trpc-to-openapi did not describe ${line}`)
    paths[path] = { ...paths[path], [method]: repair(route, found) }
  }
  return {
    openapi,
    info: { ...info, license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' } },
    servers,
    tags: describedTags,
    externalDocs: { description: 'Guides', url: `${publicUrl}/docs/guides/` },
    paths,
    components: {
      schemas: { ...withoutErrors(components?.schemas ?? {}), ...envelopeComponents },
      headers: headerComponents,
      securitySchemes: securitySchemes(publicUrl),
    },
  }
}

function repair(route: RestRoute, found: Described): Described {
  const { operation } = route
  const codes = [...new Set([...operation.problems, ...inputProblems(route), ...clockProblems(route)])]
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort()
  const schema = found.responses['200']?.content?.['application/json'].schema
  const responses = {
    [operation.status]: successOf(operation, schema),
    ...Object.fromEntries(statuses.map((status) => [status, failureOf(status, codesOf(codes, status))])),
  }
  for (const { schema } of Object.values(found.requestBody?.content ?? {})) {
    schema.properties = withoutUndocumented(schema.properties)
  }
  const { requestBody, parameters = [], ...described } = found
  return {
    ...described,
    parameters: isRepeatable(route) ? [...parameters, idempotencyKey] : parameters,
    ...(route.form && requestBody && { requestBody }),
    security: securityOf(route),
    responses,
  }
}

/** A POST under /v1 does its work once for each `Idempotency-Key`. */
const isRepeatable = ({ form, operation }: RestRoute) => form !== undefined && operation.path.startsWith('/v1/')

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Any text of your choice: the same request with the same key gets the same answer for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, example: '7f3b1c0e-5a0d-4c1e-9a53-3f0b6c1d2e4f' },
}

/** Fields of extensions, which are accepted beside those of the specification but not shown among them. */
const withoutUndocumented = (properties: Record<string, object>) =>
  Object.fromEntries(Object.entries(properties).filter(([, schema]) => !('x-undocumented' in schema)))

const codesOf = (codes: ProblemCode[], status: number) => codes.filter((code) => problems[code].status === status)

/** The failures that follow from taking any input, and from taking a body. */
function inputProblems(route: RestRoute): ProblemCode[] {
  const { fields, form, operation } = route
  const repeatable: ProblemCode[] = isRepeatable(route) ? ['idempotency_mismatch'] : []
  if (form) return ['invalid_request', 'payload_too_large', 'unsupported_media_type', ...repeatable]
  const takesQuery = fields.some((name) => !operation.path.includes(`{${name}}`))
  return takesQuery ? ['invalid_request'] : []
}

const clockProblems = ({ access }: RestRoute): ProblemCode[] =>
  access?.kind === 'cron' ? ['unauthorized', 'invalid_token'] : []

/** Any one scope of several is enough, hence one entry each. What needs a user cannot be done with an API key. */
function securityOf({ access }: RestRoute): JsonObject[] {
  if (access?.kind === 'cron') return [{ cronSecret: [] }, {}]
  if (access?.kind !== 'scopes') return []
  const { scopes, by } = access
  const byToken = scopes.map((scope) => ({ oauth2: [scope] }))
  return by === 'user' ? byToken : [...byToken, { apiKey: [] }]
}

function securitySchemes(publicUrl: string) {
  const tokenUrl = `${publicUrl}/oauth/token`
  const scopes = scopeDescriptions
  return {
    oauth2: {
      type: 'oauth2',
      description: 'An access token, as `Authorization: Bearer <ACCESS_TOKEN>`.',
      flows: {
        authorizationCode: { authorizationUrl: `${publicUrl}/oauth/authorize`, tokenUrl, refreshUrl: tokenUrl, scopes },
        clientCredentials: { tokenUrl, scopes },
      },
    },
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key of an application, as `Authorization: Bearer <API_KEY>`. It needs the same scope.',
    },
    cronSecret: {
      type: 'http',
      scheme: 'bearer',
      description: 'The CRON_SECRET of the service. Without one, only the machine itself is served.',
    },
  }
}

const withoutErrors = (schemas: object) =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.startsWith('error.')))
