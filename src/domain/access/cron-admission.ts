import type { Caller, Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { isSame } from '../core/timing-safe.ts'

/**
 * Lets a cron job in. With `CRON_SECRET`: whoever sends it. Without: only this machine, and no request that came through a
 * proxy, since a proxy on this machine would let everybody in. Throws `unauthorized`, `invalid_token`.
 */
export function admitCron({ cronSecret }: Context, { authorization, address, isForwarded }: Caller): undefined {
  if (cronSecret === undefined) {
    if (isLoopback(address) && !isForwarded) return undefined
    throw new Problem('unauthorized', 'Without CRON_SECRET this operation is served to this machine only.')
  }
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (given === undefined) throw new Problem('unauthorized', 'Send "Authorization: Bearer <CRON_SECRET>".')
  if (!isSame(sha256(given), sha256(cronSecret))) {
    throw new Problem('invalid_token', 'This is not the CRON_SECRET of this service.')
  }
}

const isLoopback = (address: string) => /^(127\.|::1$|::ffff:127\.)/.test(address)
