import { type ResourcePath, resourceAt } from '../../shared/resource-paths.ts'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import type { Parameter } from './parameters.ts'

export const resourceParameter: Parameter = {
  description: 'The address of ours that the token is for (RFC 8707); all of `/v1` when left out.',
  example: 'https://api.example.com/mcp',
  isExtension: true,
}

/** Without quotes: a redirect and a challenge cannot hold any (RFC 6749, section 4.1.2.1). */
export const UNKNOWN_RESOURCE =
  'resource: must be the address of this service, or that address with the path of one of its resources.'

/** Whether `readResource` finds what a parameter names. */
export const isKnownResource = ({ publicUrl }: Context, address: string | undefined): boolean =>
  address === undefined || resourceAt(publicUrl, address) !== undefined

/** The resource that a parameter names, if there is one (RFC 8707, section 2). Throws `invalid_target`. */
export function readResource(ctx: Context, address: string | undefined): ResourcePath | undefined {
  if (isKnownResource(ctx, address)) return address === undefined ? undefined : resourceAt(ctx.publicUrl, address)
  throw new Problem('invalid_target', UNKNOWN_RESOURCE)
}

/**
 * The resource of an access token out of a grant: the wanted one, within what the grant was allowed for (RFC 8707, section
 * 2.2). The problem is for the caller to throw, before anything is consumed or after its transaction.
 */
export function narrowResource(
  granted: ResourcePath | null,
  wanted: ResourcePath | undefined,
): ResourcePath | null | Problem {
  if (wanted === undefined || wanted === granted) return granted
  return granted === null ? wanted : new Problem('invalid_target', 'resource: is another one than what was allowed.')
}
