import type { CalledContext } from '../core/context.ts'
import { countAllOrRefuse, countsByAddress, rateLimits } from '../core/rate-limits.ts'

/** New accounts and new addresses cause mail to strangers, so the number of tries is limited. Throws `rate_limited`. */
export async function countTry(ctx: CalledContext): Promise<void> {
  const counts = countsByAddress(rateLimits.signUp, ctx.caller.address)
  await countAllOrRefuse(ctx, counts, 'Too many tries from here. Try again later.')
}
