import type { Access, SessionNeed } from '../domain/access/admission.ts'
import type { ProblemCode } from '../domain/core/problem.ts'
import { problems } from '../domain/core/problem-table.ts'
import type { Scope } from '../domain/core/scopes.ts'
import type { Role } from '../shared/roles.ts'
import type { BodyExamples, CountBefore, Envelope, Method, OperationMeta, Route } from './operation-meta.ts'
import { callerProcedure, cronProcedure, publicProcedure, readerProcedure, userProcedure } from './trpc.ts'

/** The tags of docs/specification.md, section 1, in its order. */
export const tags = [
  'OAuth',
  'Users',
  'Channels',
  'Categories',
  'Livestreams',
  'Chat',
  'Moderation',
  'Events',
  'Health',
  'Internal',
] as const
type Tag = (typeof tags)[number]

type Facts = {
  /** Its name in the document: generated clients call their functions so. */
  id: string
  tag: Tag
  summary: string
  description?: string
  /** Success status. */
  status?: 200 | 201 | 204
  envelope?: Envelope
  /** Whether the answer is the same for everybody for as long as the process runs, so that one call is enough. */
  isConstant?: boolean
  /** Whether it is ours, beyond the specification. */
  isExtension?: boolean
  /** Whether it takes or gives more than the specification says. */
  isExtended?: boolean
  /** What will be gone, or closed to somebody, in a sentence: an agent tells it to its person before it calls. */
  destroys?: string
  /** Failures beyond those that follow from access, input and body. */
  problems?: readonly ProblemCode[]
  /** What its verb counts, unless it was counted before the transaction that an `Idempotency-Key` opens around the verb. */
  countBefore?: CountBefore
  /** The largest body that is read. */
  bodyBytesMax?: number
  /** Whole bodies by name, where one made of the examples of all fields would make no sense. */
  bodyExamples?: BodyExamples
} & Lasting
type ScopesWanted = Scope | readonly [Scope, ...Scope[]]
type OpenToAll = { access: 'public' }
type ForCron = { access: 'cron' }
type ForCallers = { access: ScopesWanted }
type ForUsers = { access: ScopesWanted; by: 'user' }
/** Callers, and overlays by their keys. */
type ForReaders = { access: ScopesWanted; by: 'reader' }
type ForSessions = { access: 'session' } & Needing
/** The owner of an application, or the application itself with the scope of subscriptions. */
type ForOwners = { access: 'sessionOrApplication' } & Needing
/** The same, and users by an application's token with that scope, for what it made for them. */
type ForHearers = { access: 'sessionOrToken' } & Needing
/** The same with whatever scopes: for what tells a credential about itself alone. */
type ForThemselves = { access: 'sessionOrAnyToken' } & Needing
/** What the session has to have shown, where a session calls. */
type Needing = { needs?: readonly SessionNeed[] }
/** Sessions, and what may stand in for one. */
type ForTokens = ForOwners | ForHearers | ForThemselves
type Asked = OpenToAll | ForCron | ForCallers | ForUsers | ForReaders | ForSessions | ForTokens
/** Of a procedure that may take longer than the deadline of all others. */
type Lasting = { deadlineMs?: number }
/**
 * What whoever is signed in has to be in an application that a procedure is about; no less than its owner where nothing is said. An application's
 * credential is the application itself, and has no role.
 */
type Concerning = { role?: Role }

const bodyEncodings = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']
const BODY_BYTES_MAX = 64 * 1024

/**
 * Declares a REST operation, in the words of the specification, and returns the procedure to complete with
 * `.input()`, `.output()` and a resolver. This is the only place where a route, its access, its success status and
 * its failures are written: the runtime, the document and the generated tests all read them here.
 */
export function operation(route: Route, facts: Facts & OpenToAll): typeof publicProcedure
export function operation(route: Route, facts: Facts & ForCron): typeof cronProcedure
export function operation(route: Route, facts: Facts & ForUsers): typeof userProcedure
export function operation(route: Route, facts: Facts & ForReaders): typeof readerProcedure
export function operation(route: Route, facts: Facts & ForCallers): typeof callerProcedure
export function operation(route: Route, facts: Facts & Asked) {
  const access = accessOf(facts)
  const meta = metaOf(route, facts, access)
  return access === undefined ? publicProcedure.meta(meta) : guarded({ ...meta, access })
}

/** Declares a procedure that exists on /trpc alone: what the platform's own pages and its command line need. */
export function procedure(facts: (ForUsers | ForSessions) & Concerning & Lasting): typeof userProcedure
export function procedure(facts: ForReaders & Lasting): typeof readerProcedure
export function procedure(facts: (ForCallers | ForTokens) & Concerning & Lasting): typeof callerProcedure
export function procedure(
  facts: (ForUsers | ForSessions | ForReaders | ForCallers | ForTokens) & Concerning & Lasting,
) {
  const { deadlineMs, role } = facts
  const access = accessOf(facts)
  if (access === undefined) throw new Error('A procedure without a path is never public')
  return guarded({ access, ...(role && { role }), ...(deadlineMs !== undefined && { deadlineMs }) })
}

function guarded(meta: OperationMeta & { access: Access }) {
  const { access } = meta
  if (access.kind === 'cron') return cronProcedure.meta(meta)
  if (access.kind === 'scopes' && access.by === 'reader') return readerProcedure.meta(meta)
  const isForUsers = access.kind === 'scopes' ? access.by === 'user' : access.credential === undefined
  return isForUsers ? userProcedure.meta(meta) : callerProcedure.meta(meta)
}

/** Which credential may stand in for a session, if one may. */
const inPlaceOfSession = {
  session: undefined,
  sessionOrApplication: { scope: 'webhook:write', by: 'application' },
  sessionOrToken: { scope: 'webhook:write', by: 'anyone' },
  sessionOrAnyToken: { scope: 'any', by: 'anyone' },
} as const

const isOfSession = (access: unknown): access is keyof typeof inPlaceOfSession =>
  typeof access === 'string' && Object.hasOwn(inPlaceOfSession, access)

const needsOf = (asked: Asked) => ('needs' in asked ? (asked.needs ?? []) : [])

function accessOf(asked: Asked): Access | undefined {
  const { access } = asked
  if (access === 'public') return undefined
  if (access === 'cron') return { kind: 'cron' }
  if (isOfSession(access)) return { kind: 'session', credential: inPlaceOfSession[access], needs: needsOf(asked) }
  const wanted = typeof access === 'string' ? ([access] as const) : access
  return { kind: 'scopes', scopes: wanted, by: 'by' in asked ? asked.by : 'anyone' }
}

function metaOf(route: Route, facts: Facts, access: Access | undefined): OperationMeta {
  const [method, path] = route.split(' ') as [Method, `/${string}`]
  const {
    id,
    tag,
    summary,
    description,
    status = 200,
    envelope = 'data',
    isConstant = false,
    isExtension = false,
    isExtended = false,
    destroys,
  } = facts
  const { bodyBytesMax = BODY_BYTES_MAX, bodyExamples, countBefore, deadlineMs } = facts
  const codes = [...new Set([...refusalsOf(access), ...(facts.problems ?? [])])]
  return {
    ...(deadlineMs !== undefined && { deadlineMs }),
    operation: {
      id,
      route,
      method,
      path,
      status,
      envelope,
      isConstant,
      isExtension,
      isExtended,
      problems: codes,
      destroys,
      countBefore,
      bodyBytesMax,
      bodyExamples,
    },
    openapi: {
      operationId: id,
      method,
      path,
      summary,
      ...(description && { description }),
      tags: [tag],
      protect: access !== undefined,
      contentTypes: bodyEncodings as ['application/json'],
      errorResponses: [...new Set(codes.map((code) => problems[code].status))],
    },
  }
}

/** The failures that follow from asking for a credential. What the cron operation refuses is documented as the specification has it. */
function refusalsOf(access: Access | undefined): ProblemCode[] {
  if (access?.kind !== 'scopes') return []
  const codes: ProblemCode[] = ['unauthorized', 'invalid_token', 'insufficient_scope', 'rate_limited']
  return access.by === 'user' ? [...codes, 'user_token_required'] : codes
}
