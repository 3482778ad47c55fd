import type { Counters } from '../../counters/counters.ts'
import type { Database } from '../../db/client.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { Actor, Owner, Principal, UserPrincipal } from './actor.ts'
import type { Keyring } from './keyring.ts'
import type { RequestFindings } from './request-record.ts'

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
  /** Whom credentials stand for that were found good a moment ago. */
  credentials: PrincipalCache
  /** Requests by application, until they are written down. */
  usage: UsageCounter
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

/** A context that knows how its caller reached the service, and not yet who that is. */
export type CalledContext = Context & { caller: Caller }
export type CallerContext = Context & { principal: Principal }
export type UserContext = Context & { principal: UserPrincipal }
/** For verbs about applications. The caller is missing at the command line. */
export type OwnerContext = Context & { principal: Owner; caller?: Caller }
/** For verbs that everybody may ask for, each about their own. */
export type ActorContext = Context & { principal: Actor }

/** What verbs may ask of the cache of credentials; the process decides when it may be trusted. */
export type PrincipalCache = {
  /** Grows with every change that is heard of; undefined while none is. */
  readonly changes: number | undefined
  /** Forgets all: something was revoked, disabled or deleted. */
  readonly forget: () => void
  /** The principal of a credential, remembered or found. */
  principalOf(credential: string, find: () => Promise<FoundPrincipal | undefined>): Promise<Principal | undefined>
}
/** `livesMs`: how long the credential still lives. */
export type FoundPrincipal = { principal: Principal; livesMs: number }

/** What verbs may ask of the usage counts; the process writes them down. */
export type UsageCounter = {
  count(clientId: string, operation: string, status: number, durationMs: number): void
}

/** Where webhooks may lead, as the operator configured it. */
export type TargetPolicy = {
  /** Development, and receivers inside one's own network: loopback, private networks, `http:`, any port, bare names. */
  allowPrivate: boolean
  /** Private networks that may be called although `allowPrivate` is off, such as `10.20.0.0/16`. */
  allowCidrs: readonly string[]
  /** An egress proxy, `http://user:password@host:port`; it is asked for judged addresses only. */
  proxyUrl: string | undefined
}

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
  /** Takes what is found out about the request. */
  record?: RequestFindings
}
