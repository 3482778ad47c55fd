import type { Counters } from '../../counters/counters.ts'
import type { Database } from '../../db/client.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { Actor, Owner, Principal, UserPrincipal } from './actor.ts'
import type { Keyring } from './keyring.ts'
import type { RequestFindings } from './request-record.ts'

/** What every verb receives. A process builds it once; each entry point adds what it knows about the caller. */
export type Context = {
  /** Short statements: the pool, or the transaction that this context is in. */
  db: Database
  /** For statements that may take more than 50 ms: a pool of its own, so that the short ones do not wait for them. */
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
  /** Remembers for a few seconds whom a credential stands for. */
  credentials: PrincipalCache
  /** Counts the requests of each application. */
  usage: UsageCounter
  /** The issuer and the base of every link, without a trailing slash. */
  publicUrl: string
  /** Where webhooks may lead. */
  targets: TargetPolicy
  /** Who may have what is due delivered. */
  cronAccess: CronAccess
  /** Whether visitors may create an account. */
  signup: 'open' | 'closed'
  log: Logger
  /** Only when a collector is configured. */
  traces?: Traces | undefined
}

/** A context that knows how its caller reached the service, and not yet who that is. */
export type CalledContext = Context & { caller: Caller }
export type CallerContext = Context & { principal: Principal }
export type UserContext = Context & { principal: UserPrincipal }
/** For verbs about applications. The caller is missing at the command line. */
export type OwnerContext = Context & { principal: Owner; caller?: Caller }
/** For verbs that every kind of actor may call, each for what it owns. */
export type ActorContext = Context & { principal: Actor }

/** What verbs may ask of the cache of credentials. The process decides when the cache may be trusted. */
export type PrincipalCache = {
  /** Grows with every change that is announced; undefined while announcements are not received. */
  readonly changes: number | undefined
  /** Forgets everything, after something was revoked, disabled or deleted. */
  readonly forget: () => void
  /** The principal of a credential, remembered or found. */
  principalOf(credential: string, find: () => Promise<FoundPrincipal | undefined>): Promise<Principal | undefined>
}
/** `livesMs`: how long the credential still lives. */
export type FoundPrincipal = { principal: Principal; livesMs: number }

/** What verbs may ask of the usage counts. The process writes them to the database. */
export type UsageCounter = {
  count(clientId: string, operation: string, status: number, durationMs: number): void
}

/** Where webhooks may lead, as the operator configured it. */
export type TargetPolicy = {
  /** Development, and receivers inside one's own network: loopback, private networks, `http:`, any port, bare names. */
  allowPrivate: boolean
  /** Private networks that may be called although `allowPrivate` is off, such as `10.20.0.0/16`. */
  allowCidrs: readonly string[]
  /** An egress proxy, `http://user:password@host:port`; it is only given addresses that were checked before. */
  proxyUrl: string | undefined
  /** Ports of this service on this machine: no webhook calls them. */
  ownPorts?: readonly number[]
}

/** Who may call as the cron job. */
export type CronAccess = { secret: string } | 'this machine' | 'nobody'

/** The `DPoP` header of a request, and the request that it must be for. */
export type DpopProof = { jwt: string; method: string; path: string }

/** What an entry point knows about a call before anything of it is verified. */
export type Caller = {
  /** The `Authorization` header, as it came. */
  authorization: string | undefined
  /** The secret of a login session's cookie. Set for our own pages only, after the origin was checked. */
  session: string | undefined
  /** The network address: the socket's, or the one that a trusted proxy reports (`TRUST_PROXY`). */
  address: string
  /** The `Host` header, as it came. */
  host?: string | undefined
  /** Whether its headers say that the request came through a proxy. */
  isForwarded: boolean
  requestId: string
  userAgent: string | undefined
  dpop?: DpopProof
  /** Collects what is found out about the request. */
  record?: RequestFindings
}
