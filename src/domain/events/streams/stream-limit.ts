import type { Reader } from '../../core/actor.ts'
import type { ReaderContext } from '../../core/context.ts'

/** Counts a stream of the caller until the returned function is called. Throws `rate_limited`. */
export async function countStream({ streamLimit, principal }: ReaderContext): Promise<() => void> {
  const uncount = await streamLimit.take(holderOf(principal))
  let isCounted = true
  return () => {
    if (isCounted) uncount()
    isCounted = false
  }
}

/**
 * Whom a stream counts for. An owner can make any number of applications, so these count together; beside the owner's own
 * streams as a user, so that a program that forgets to close its streams leaves its owner the console. So do overlays, whose keys
 * stand in addresses that others may come to see.
 */
export function holderOf(principal: Reader): string {
  if (principal.kind === 'overlay') return `overlays ${principal.userId}`
  if (principal.kind === 'user') return `user ${principal.userId}`
  return principal.ownerId ? `owner ${principal.ownerId}` : `client ${principal.clientId}`
}
