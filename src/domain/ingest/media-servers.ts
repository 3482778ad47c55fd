import { admitThisMachine } from '../access/this-machine.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { countAllOrRefuse, countsByAddress, rateLimits } from '../core/rate-limits.ts'
import { isSame } from '../core/timing-safe.ts'

/**
 * Lets a media server in: with the operator's secret, as a bearer or `given` in the address, since some can send no header; where
 * there is none, what this machine sends. Throws `unauthorized`, `invalid_token`, and `rate_limited` for many wrong secrets.
 */
export async function admitMediaServer(ctx: Context, caller: Caller, given: unknown): Promise<void> {
  const secret = ctx.ingest?.secret
  if (secret === undefined)
    return admitThisMachine(caller, 'Without INGEST_SECRET media servers on this machine only are let in.')
  const shown = /^Bearer +(\S+)$/i.exec(caller.authorization ?? '')?.[1] ?? given
  if (typeof shown !== 'string') throw new Problem('unauthorized', 'Send the INGEST_SECRET of this service.')
  if (isSame(sha256(shown), sha256(secret))) return
  const counts = countsByAddress(rateLimits.ingestAuthentication, caller.address)
  await countAllOrRefuse(ctx, counts, 'Too many wrong secrets.')
  throw new Problem('invalid_token', 'This is not the INGEST_SECRET of this service.')
}
