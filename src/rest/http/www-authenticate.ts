import { signingAlgorithms } from '../../domain/access/signing-algorithms.ts'
import type { Problem } from '../../domain/core/problem.ts'

/**
 * The value of `WWW-Authenticate` (RFC 6750, section 3; RFC 9728, section 5.1). A 401 always has one, which names
 * the scope when there was no credential, a 403 for a scope names it, and every error of the token endpoints repeats its code there, because two widely used clients read it there.
 */
export function challengeOf(
  problem: Problem,
  isTokenEndpoint: boolean,
  publicUrl: string,
  path = '',
): string | undefined {
  const { code, status, message, details } = problem
  if (isTokenEndpoint) {
    const scheme = status === 401 ? (details.scheme ?? 'Bearer') : 'Bearer'
    return `${scheme} realm="api", error="${code}", error_description="${quotable(message)}"`
  }
  const scheme = details.scheme ?? 'Bearer'
  const metadata = `${scheme} realm="api", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${resourceOf(path)}"`
  const scope = details.scopes ? `, scope="${details.scopes.join(' ')}"` : ''
  if (code === 'unauthorized') return metadata + scope
  const algorithms = scheme === 'DPoP' ? `, algs="${signingAlgorithms.join(' ')}"` : ''
  if (status === 401) return `${metadata}, error="${code}"${algorithms}`
  if (code !== 'insufficient_scope') return undefined
  return `${metadata}, error="${code}"${scope}`
}

/** What of the address of a resource follows that of the service: agents have one of their own (RFC 9728, section 3.1). */
const resourceOf = (path: string) => (/^\/mcp\/?$/.test(path) ? '/mcp' : '')

/** Anything outside of RFC 6750's set could end the quotes or the header. */
const quotable = (text: string) => text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
