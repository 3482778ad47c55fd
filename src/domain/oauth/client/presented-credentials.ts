import type { Caller } from '../../core/caller.ts'
import { Problem } from '../../core/problem.ts'
import type { Parameter, ValuesOf } from '../parameters.ts'
import { subjectOf } from './client-assertion.ts'

/** The client credentials of a request, not verified yet. `scheme` is that of the challenge if they are wrong. */
export type PresentedCredentials = {
  id: string | undefined
  secret: string | undefined
  /** The signed assertion that a client sends instead of a secret (RFC 7523). */
  assertion?: string
  scheme: 'Basic' | 'Bearer'
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** How a client names and proves itself in a body (RFC 6749, section 2.3.1; RFC 7521, section 4.2). */
export const clientParameters = {
  client_id: {
    description: 'Unless the client authenticates by HTTP Basic.',
    example: 'cli_01kdyrfq3e7y2n8v4c5b6m9t0a',
  },
  client_secret: {
    description: 'Of a confidential client that does not authenticate by HTTP Basic.',
    example: 'lscs_0000000000000000000000000000000000000000000AAAAAA',
    isSecret: true,
  },
  client_assertion_type: {
    description: 'Beside `client_assertion`, in place of every other way to authenticate (RFC 7521, section 4.2).',
    values: [ASSERTION_TYPE],
    isExtension: true,
  },
  client_assertion: {
    description: 'Who the client is, signed by it; beside its `client_assertion_type` (RFC 7521, section 4.2).',
    isSecret: true,
    isExtension: true,
  },
} as const satisfies Record<string, Parameter>

export type ClientFields = ValuesOf<typeof clientParameters>

/**
 * Reads the one method of client authentication that a request uses (RFC 6749, section 2.3): Basic, a secret in the body,
 * or an assertion there. Throws `invalid_request` when it uses two or names two clients, `invalid_client` for any other
 * scheme.
 */
export function presentedCredentials({ authorization }: Caller, fields: ClientFields): PresentedCredentials {
  const { client_id, client_secret } = fields
  const assertion = readAssertion(fields)
  if (authorization === undefined) {
    if (assertion === undefined) return { id: client_id, secret: client_secret, scheme: 'Bearer' }
    if (client_secret !== undefined) throw twoMethods('client_secret', 'an assertion')
    return { id: client_id ?? subjectOf(assertion), secret: undefined, assertion, scheme: 'Bearer' }
  }

  const { id, secret } = readBasic(authorization)
  if (client_secret !== undefined) throw twoMethods('client_secret', 'Basic')
  if (assertion !== undefined) throw twoMethods('client_assertion', 'Basic')
  if (client_id !== undefined && client_id !== id) {
    throw new Problem('invalid_request', 'client_id: is not the client that authenticates by Basic.')
  }
  return { id, secret, scheme: 'Basic' }
}

/** RFC 7521, section 4.2: both of its fields, or neither. */
function readAssertion({ client_assertion, client_assertion_type }: ClientFields): string | undefined {
  if (client_assertion === undefined && client_assertion_type === undefined) return undefined
  if (client_assertion_type !== ASSERTION_TYPE) {
    throw new Problem('invalid_request', `client_assertion_type: must be "${ASSERTION_TYPE}".`)
  }
  if (client_assertion === undefined) throw new Problem('invalid_request', 'client_assertion: is required.')
  return client_assertion
}

const twoMethods = (field: string, other: string) =>
  new Problem('invalid_request', `${field}: the client has authenticated by ${other} already; use one method.`)

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i

/** An empty password counts as none: some public clients send their identifier like this. */
function readBasic(authorization: string) {
  const [, encoded] = BASIC.exec(authorization) ?? []
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon < 1) {
    throw new Problem('invalid_client', 'Authorization: is not client authentication by Basic.', { scheme: 'Basic' })
  }
  return { id: decodeForm(pair.slice(0, colon)), secret: decodeForm(pair.slice(colon + 1)) || undefined }
}

/** RFC 6749, section 2.3.1: both parts are form-encoded. Clients that skip this work too, as our values need no encoding. */
function decodeForm(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}
