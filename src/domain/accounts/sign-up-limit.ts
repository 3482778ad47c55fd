import type { CalledContext } from '../core/context.ts'
import { countOrRefuse, networkOf, rateLimits, siteOf } from '../core/rate-limits.ts'

/**
 * New accounts and new addresses cause mail to strangers, so the number of tries is limited. The site comes last: who is
 * refused uses up nothing of it.
 */
export async function countTry(ctx: CalledContext): Promise<void> {
  const words = 'Too many tries from here. Try again later.'
  await countOrRefuse(ctx, rateLimits.signUp, networkOf(ctx.caller.address), words)
  const site = siteOf(ctx.caller.address)
  if (site !== undefined) await countOrRefuse(ctx, rateLimits.signUpSite, site, words)
}
