import type { Counters } from '../../counters/counters.ts'
import type { Database } from '../../db/client.ts'
import type { Role } from '../../shared/roles.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { Actor, Owner, Principal, Reader, UserPrincipal } from './actor.ts'
import type { Caller } from './caller.ts'
import type { Keyring } from './keyring.ts'
import type { CommittedEvent, EventTail, OpenStreams, StreamLimit, WakeListener } from './live.ts'
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
  /** Tells the worker that there may be something to deliver, and the tail which channel has a new event, and which one it is. */
  wake: (channelId?: string, event?: CommittedEvent) => void
  /** Calls `listener` whenever there may be new events, until the returned function is called. */
  onWake: (listener: WakeListener) => () => void
  /** Tells of events as they are committed. */
  tail: EventTail
  /** What is open at the moment. */
  streams: OpenStreams
  /** Aborts when the process begins to stop: calls that stay open end then. */
  stopping: AbortSignal
  keyring: Keyring
  counters: Counters
  /** Remembers for a few seconds whom a credential stands for. */
  credentials: PrincipalCache
  /** Counts the requests of each application. */
  usage: UsageCounter
  /** Keeps the requests of each application that failed, and a sample of the others. */
  requests: RequestLog
  /** The issuer and the base of every link, without a trailing slash. */
  publicUrl: string
  /** Takes mails to where their readers are. */
  mailTransport: MailTransport
  /** Where webhooks may lead. */
  targets: TargetPolicy
  /** Who may have what is due delivered. */
  cronAccess: CronAccess
  /** Who needs a second factor: nobody, whoever owns applications, or everybody who logs in. */
  secondFactor: SecondFactorPolicy
  /** Whether visitors may create an account. */
  signup: 'open' | 'closed'
  /** The public application of the demo data, with which the reference page logs people in. */
  demoClientId?: string | undefined
  /** What applications that are not registered here say of themselves; absent where that is off. */
  clientDocuments?: ClientDocumentSource | undefined
  /** How many streams a user and an owner of applications may have open; without bound in load tests. */
  streamLimit: StreamLimit
  /** Only where encoders are taken. */
  ingest?: IngestSettings | undefined
  /** Only where pictures of live streams are taken. */
  thumbnails?: ThumbnailStorage | undefined
  log: Logger
  /** Only when a collector is configured. */
  traces?: Traces | undefined
}

type SecondFactorPolicy = 'off' | 'developers' | 'all'

/** A context that knows how its caller reached the service, and not yet who that is. */
export type CalledContext = Context & { caller: Caller }
/** What a call wants its caller to be in the application that it is about, as the procedure declares it. Left out: its owner. */
export type Wanting = { role?: Role | undefined }
export type CallerContext = Context & Wanting & { principal: Principal }
/** For what the feed is made of, which overlays read as well. */
export type ReaderContext = Context & { principal: Reader }
export type UserContext = Context & Wanting & { principal: UserPrincipal }
/** For verbs about applications. The caller is missing at the command line. */
export type OwnerContext = Context & Wanting & { principal: Owner; caller?: Caller }
/** For verbs that every kind of actor may call, each for what it owns. */
export type ActorContext = Context & Wanting & { principal: Actor }

/** What verbs may ask of the cache of credentials. The process decides when the cache may be trusted. */
export type PrincipalCache = {
  /** Whether this process is told what ends; otherwise nothing is remembered. */
  readonly isTrusted: boolean
  /**
   * Forgets whatever depends on a user, an application or a grant, by its identifier, or on a token or key, by its SHA-256 in
   * base64, after that was revoked, disabled, narrowed or deleted.
   */
  readonly end: (what: string) => void
  /** Calls `listener` with whatever ends, as `end` names it, and with nothing when anything may have ended unheard. */
  onEnd(listener: (what?: string) => void): void
  /** The principal of a credential, remembered or found. */
  principalOf(credential: string, find: () => Promise<FoundPrincipal | undefined>): Promise<Reader | undefined>
}
/** `livesMs`: how long the credential still lives. `grantId`: of a token that came from a consent. */
export type FoundPrincipal = { principal: Reader; livesMs: number; grantId?: string | undefined }

/** What verbs may ask of the usage counts. The process writes them to the database. */
export type UsageCounter = {
  count(clientId: string, operation: string, status: number, durationMs: number): void
}

/** A request that has ended, with all that was found out about it; `url` as it came, where its path is part of what was asked. */
export type EndedRequest = RequestFindings & {
  readonly id: string
  readonly address: string
  readonly url?: string | undefined
}

/** What verbs may ask of the log of requests. The process writes it to the database. */
export type RequestLog = {
  note(request: EndedRequest, operation: string, status: number, durationMs: number): void
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

/** How encoders reach this service, as the operator configured it. */
type IngestSettings = {
  /** Where encoders send to, for people to copy: `rtmp://live.example/live`. */
  serverUrl: string | undefined
  /** What a media server shows to be let in; without one only this machine is. */
  secret: string | undefined
}

/** Where pictures are kept, by their identifiers. */
export type ThumbnailStorage = {
  put(id: string, jpeg: Buffer): Promise<void>
  /** Undefined where there is none. */
  get(id: string): Promise<Buffer | undefined>
  /** Also where there is none. */
  remove(id: string): Promise<void>
}

/** An application that describes itself at an address of its own. */
export type ClientDocument = { host: string; name: string; redirectUris: readonly string[] }
/** The address of whoever is sent to an application, and whether anybody has ever allowed it something. */
export type AskedFrom = { address: string; isAllowed: boolean }
export type ClientDocumentSource = {
  isKept(clientId: string, isAllowed: boolean): boolean
  find(clientId: string, asked: AskedFrom): Promise<ClientDocument>
}

/** Who may call as the cron job. */
export type CronAccess = { secret: string } | 'this machine' | 'nobody'

/** What a mail says, without its form. Links are made from `PUBLIC_URL`, so a mail names a path of ours alone. */
export type MailText = {
  subject: string
  paragraphs: readonly string[]
  /** What the reader may do about it: the words of the link, and where it leads. */
  link?: { words: string; path: `/${string}` }
  /** Behind the link. */
  closing?: readonly string[]
  /** The page on which mails like this one are switched off, for those that can be. */
  settings?: { words: string; path: `/${string}` }
}

export type OutgoingMail = {
  /** `Message-ID` is made of it: whoever gets a mail twice sees that it is one. */
  id: string
  to: string
  text: MailText
  at: Date
}

/** Takes a mail to where its reader is. Rejects when it has to be tried again. */
export type MailTransport = { send(mail: OutgoingMail): Promise<void> }
