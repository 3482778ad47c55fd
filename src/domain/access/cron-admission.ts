import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { countAllOrRefuse, countsByAddress, rateLimits } from '../core/rate-limits.ts'
import { isSame } from '../core/timing-safe.ts'
import { admitThisMachine } from './this-machine.ts'

/**
 * Lets a cron job in. With `CRON_SECRET`: whoever sends it. Without: only this machine, by its own name, and no request that
 * came through a proxy, since a proxy on this machine would let everybody in. Wrong secrets are counted by address; the
 * right one passes all the same, or somebody who guesses could stop the job. Throws `unauthorized`, `invalid_token`,
 * `rate_limited`.
 */
export async function admitCron(ctx: Context, caller: Caller): Promise<undefined> {
  const { cronAccess } = ctx
  if (cronAccess === 'nobody')
    throw new Problem('unauthorized', 'This operation needs a CRON_SECRET; the service has none.')
  if (cronAccess === 'this machine')
    return admitThisMachine(caller, 'Without CRON_SECRET this operation is served to this machine only.')
  const given = /^Bearer +(\S+)$/i.exec(caller.authorization ?? '')?.[1]
  if (given === undefined) throw new Problem('unauthorized', 'Send "Authorization: Bearer <CRON_SECRET>".')
  if (isSame(sha256(given), sha256(cronAccess.secret))) return undefined
  const counts = countsByAddress(rateLimits.cronAuthentication, caller.address)
  await countAllOrRefuse(ctx, counts, 'Too many wrong secrets.')
  throw new Problem('invalid_token', 'This is not the CRON_SECRET of this service.')
}
