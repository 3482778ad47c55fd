import { isDeepStrictEqual } from 'node:util'
import { type GrantType, grantTypes, usableGrants } from '../../shared/grants.ts'
import { Problem } from '../core/problem.ts'
import { scopes as allScopes, type Scope } from '../core/scopes.ts'
import { isWebAddress } from '../core/url.ts'
import { requireName } from '../names.ts'
import { type ClientKeys, readClientKeys } from './public-keys.ts'
import { requireRedirectUri } from './redirect-uris.ts'

/** What is registered of an application and can be changed later. */
export type Registration = {
  name: string
  website_url: string | null
  redirect_uris: readonly string[]
  grant_types: readonly GrantType[]
  scopes: readonly Scope[]
  /** The public keys of an application that signs assertions instead of sending a secret. Cannot be added later. */
  jwks: ClientKeys | null
}

type Optional<Type> = { [Key in keyof Type]?: Type[Key] | undefined }
export type RegistrationChanges = Optional<Omit<Registration, 'jwks'> & { jwks: unknown }>
export type NewApplication = RegistrationChanges & {
  name: string
  confidential: boolean
  /** Its tokens are bound to a key that it has to prove it holds (RFC 9449). Cannot be changed later. */
  dpop_bound?: boolean | undefined
}

const REDIRECT_URIS_MAX = 20

/** Fills in what a new application leaves out: every scope, and every grant that it can use with what it gives. */
export function completeRegistration(input: NewApplication): Registration {
  const { name, confidential, website_url = null, redirect_uris = [], scopes = allScopes } = input
  const jwks = input.jwks === undefined ? null : readClientKeys(input.jwks)
  const grant_types = input.grant_types ?? usableGrants({ confidential, hasRedirectUris: redirect_uris.length > 0 })
  return { name, website_url, redirect_uris, scopes, grant_types, jwks }
}

/** Throws `invalid_request` for a change from one method of authentication to another. */
export function changeRegistration(current: Registration, changes: RegistrationChanges): Registration {
  if (changes.jwks !== undefined && !current.jwks)
    throw new Problem('invalid_request', 'jwks: this application does not sign.')
  return {
    name: changes.name ?? current.name,
    website_url: changes.website_url === undefined ? current.website_url : changes.website_url,
    redirect_uris: changes.redirect_uris ?? current.redirect_uris,
    grant_types: changes.grant_types ?? current.grant_types,
    scopes: changes.scopes ?? current.scopes,
    jwks: changes.jwks === undefined ? current.jwks : readClientKeys(changes.jwks),
  }
}

/** Whether an application is registered like this already. */
export const isRegisteredAs = (registration: Registration, current: Registration): boolean =>
  Object.entries(registration).every(([name, value]) => isDeepStrictEqual(value, current[name as keyof Registration]))

/** Throws `invalid_request`, which names the field, for what no application can be. Scopes and grants are known ones. */
export function requireRegistration(confidential: boolean, registration: Registration): void {
  const { redirect_uris, grant_types, scopes, jwks } = registration
  requireName(registration.name)
  requireWebsite(registration)
  for (const uri of redirect_uris) requireRedirectUri(uri)
  if (new Set(redirect_uris).size > REDIRECT_URIS_MAX) throw wrong('redirect_uris', `at most ${REDIRECT_URIS_MAX}`)
  if (scopes.length === 0) throw wrong('scopes', 'at least one')
  if (grant_types.length === 0) throw withoutGrants(confidential, registration)
  if (grant_types.includes('authorization_code') && redirect_uris.length === 0) {
    throw wrong('redirect_uris', 'at least one for the grant authorization_code')
  }
  if (!confidential && jwks) throw new Problem('invalid_request', 'jwks: a public application can keep no key.')
  if (!confidential && grant_types.includes('client_credentials')) {
    throw new Problem('invalid_request', 'grant_types: client_credentials needs an application that can keep a secret.')
  }
}

/** Shown to users on the consent page, so they must be able to open it. */
function requireWebsite({ website_url }: Registration): void {
  if (website_url === null) return
  if (!isWebAddress(website_url) || website_url.length > 2048)
    throw new Problem('invalid_request', 'website_url: must be an http(s) URL.')
  if (/^[a-z]+:[/\\]*[^/\\?#]*@/i.test(website_url.trim()))
    throw new Problem('invalid_request', 'website_url: must not contain a user name, which hides where it leads.')
}

/** Names the field whose absence leaves no possible grant. */
function withoutGrants(isConfidential: boolean, { redirect_uris }: Registration): Problem {
  const isForPeople = !isConfidential && redirect_uris.length === 0
  if (!isForPeople) return wrong('grant_types', `at least one of ${grantTypes.join(', ')}`)
  return wrong(
    'redirect_uris',
    'at least one: a public application is where people log in, and come back to, unless it shows a code for devices',
  )
}

const wrong = (field: string, rule: string) => new Problem('invalid_request', `${field}: must be ${rule}.`)
