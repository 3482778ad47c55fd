import type { Counters } from '../../counters/counters.ts'
import type { Database } from '../../db/client.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { CredentialCache } from '../access/credential-cache.ts'
import type { UsageCounts } from '../usage/counts.ts'
import type { TargetPolicy } from '../webhooks/http/target-policy.ts'
import type { Keyring } from './keyring.ts'
import type { Scope } from './scopes.ts'

/** Stands for a person: a user's access token, or a login session (which belongs to no application). */
export type UserPrincipal = {
  kind: 'user'
  userId: string
  username: string
  clientId: string | null
  scopes: readonly Scope[]
  boundTo?: string
}
/** Stands for an application: a token of `client_credentials`, or an API key. */
type ApplicationPrincipal = { kind: 'application'; clientId: string; scopes: readonly Scope[]; boundTo?: string }

/** Whoever a credential stands for; `boundTo` is the thumbprint of the key that its holder proves at each use (RFC 9449). */
export type Principal = UserPrincipal | ApplicationPrincipal

/** What every verb receives. A process builds it once; a door copies it with what it knows of its caller. */
export type Context = {
  /** Short statements: the pool, or the transaction that this context is in. */
  db: Database
  /** Statements that may take more than 50 ms; a pool of its own, so that they hold up nobody. */
  slow: Database
  /** For lists, by `readUpToDate`; `slow` when there is no replica. */
  replica: Database
  now: () => Date
  /** Tells the worker that there may be something to deliver. */
  wake: () => void
  /** Calls `listener` whenever there may be new events, until the returned function is called. */
  onWake: (listener: () => void) => () => void
  /** Aborts when the process begins to stop: calls that stay open end then. */
  stopping: AbortSignal
  keyring: Keyring
  counters: Counters
  /** Credentials that were found good a moment ago. */
  credentials: CredentialCache
  /** Requests by application, until they are written down. */
  usage: UsageCounts
  /** The issuer, and the base of every link; without a slash at its end. */
  publicUrl: string
  /** Where webhooks may lead. */
  targets: TargetPolicy
  /** What the cron door asks for; without it only this machine may call. */
  cronSecret: string | undefined
  /** Whether strangers may make an account. */
  signup: 'open' | 'closed'
  log: Logger
  /** Where somebody collects them. */
  traces?: Traces | undefined
}
export type CallerContext = Context & { principal: Principal }
export type UserContext = Context & { principal: UserPrincipal }

/** The `DPoP` header of a request, and the request that it must be for. */
export type DpopProof = { jwt: string; method: string; path: string }

/** What a door knows of a call before any of it is believed. */
export type Caller = {
  /** The `Authorization` header, as it came. */
  authorization: string | undefined
  /** The secret of a login session's cookie. Set by the doors of our own pages only, after they have checked the origin. */
  session: string | undefined
  /** The network address: the socket's, or what `TRUST_PROXY` says to believe. */
  address: string
  /** The request came through a proxy, by its headers. */
  isForwarded: boolean
  requestId: string
  userAgent: string | undefined
  dpop?: DpopProof
  trail?: Trail
}

/** What is found out about a call while it is answered, for its line in the log. */
type Trail = { operation?: string; clientId?: string }
