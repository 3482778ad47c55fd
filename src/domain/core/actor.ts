import type { AuthenticationMethod } from '../../shared/authentication-methods.ts'
import type { ResourcePath } from '../../shared/resource-paths.ts'
import type { Scope } from './scopes.ts'

/** Stands for a person: a user's access token, or a login session (which belongs to no application). */
export type UserPrincipal = {
  kind: 'user'
  userId: string
  username: string
  clientId: string | null
  scopes: readonly Scope[]
  /** Where it is a login session. */
  session?: ActingSession
} & TokenLimits

/** A login session as it acts: `amr` is how its user has proved who they are (RFC 8176), `isFresh` that it was just now. */
export type ActingSession = { id: string; amr: readonly AuthenticationMethod[]; isFresh: boolean }

/** Stands for an application: a token of `client_credentials`, or an API key. */
type ApplicationPrincipal = {
  kind: 'application'
  clientId: string
  /** Whose application it is; null for the operator's. Left out where nobody was admitted. */
  ownerId?: string | null
  scopes: readonly Scope[]
} & TokenLimits

type TokenLimits = {
  /** The thumbprint of the key that its holder proves at each use (RFC 9449). */
  boundTo?: string
  /** The API key or the grant that the credential came from. */
  credentialId?: string
  /** The one resource that the token is good for, where it was made for one (RFC 8707). */
  resource?: ResourcePath
}

/** Whoever a credential stands for. */
export type Principal = UserPrincipal | ApplicationPrincipal

/**
 * Stands for an overlay key: reads some types of the events of one channel in the feed, and can do nothing else. No `Principal`, so
 * that no other verb takes it.
 */
export type OverlayPrincipal = {
  kind: 'overlay'
  /** Whose channel it is. */
  userId: string
  username: string
  /** As they were chosen: one may have been removed from the catalogue since. */
  types: readonly string[]
  clientId: null
  scopes: readonly []
}

/** Whoever reads the feed. */
export type Reader = Principal | OverlayPrincipal

/** Who runs the service, at its command line: owns nothing and may act for every owner. */
type Operator = { kind: 'operator' }

/**
 * Everybody who can act. Closed: what depends on who acts is a switch over `kind` without a default, so that a new kind
 * compiles only once each of these places has an answer for it.
 */
export type Actor = Principal | Operator

/** Who may own applications, or act for their owners. An application owns none, not even itself. */
export type Owner = Exclude<Actor, ApplicationPrincipal>
