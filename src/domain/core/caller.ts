import type { ResourcePath } from '../../shared/resource-paths.ts'
import type { RequestFindings } from './request-record.ts'

/** The `DPoP` header of a request, and the request that it must be for. */
export type DpopProof = { jwt: string; method: string; path: string }

/** What an entry point knows about a call before anything of it is verified. */
export type Caller = {
  /** The `Authorization` header, as it came. */
  authorization: string | undefined
  /** The secret of a login session's cookie. Set for our own pages only, after the origin was checked. */
  session: string | undefined
  /** Why the cookie that came does not count as a session. */
  sessionRefusal?: string | undefined
  /** The cookie that says to which accounts the browser is known. Set for our own pages only. */
  devices?: string | undefined
  /** The network address: the socket's, or the one that a trusted proxy reports (`TRUST_PROXY`). */
  address: string
  /** The `Host` header, as it came. */
  host?: string | undefined
  /** Whether its headers say that the request came through a proxy. */
  isForwarded: boolean
  requestId: string
  userAgent: string | undefined
  dpop?: DpopProof
  /** The resource that was called (RFC 8707); the API when left out. */
  resource?: ResourcePath
  /**
   * Has the call count as a stream from now on, because it stays open or waits: until then it is a request like any other. Throws
   * `unavailable` when there is no place for one.
   */
  becomeStream?: () => void
  /** Collects what is found out about the request. */
  record?: RequestFindings
}
