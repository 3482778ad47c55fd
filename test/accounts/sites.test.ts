import { afterAll, expect, test } from 'vitest'
import { type Limit, memoryCounters } from '../../src/counters/counters.ts'
import { countFailedProof } from '../../src/domain/access/failed-proofs.ts'
import { signUp } from '../../src/domain/accounts/accounts.ts'
import { guess } from '../../src/domain/accounts/guess.ts'
import type { CalledContext } from '../../src/domain/core/context.ts'
import { rateLimits, siteLimit } from '../../src/domain/core/rate-limits.ts'
import { rejectClient } from '../../src/domain/oauth/client/authenticate-client.ts'
import { createTestContext } from '../support/context.ts'
import { caller } from '../support/flows.ts'

const stage = await createTestContext()
afterAll(() => stage[Symbol.asyncDispose]())

type Try = (ctx: CalledContext, n: number) => Promise<unknown>
const wrong = async () => undefined
const reserved = { username: 'admin', email: 'ada@example.com', password: 'a long password' }

/** What may be tried a hundred times too often from one address, and how often it counts for the site of that. */
const tries: [what: string, counted: Limit, site: Limit, tried: Try][] = [
  [
    'guesses',
    rateLimits.loginAddress,
    siteLimit(rateLimits.loginAddress),
    (ctx, n) => guess(ctx, `account ${n}`, wrong),
  ],
  [
    'guesses for one account',
    rateLimits.loginAccount,
    siteLimit(rateLimits.loginAddress),
    (ctx) => guess(ctx, 'ada', wrong),
  ],
  ['sign-ups', rateLimits.signUp, siteLimit(rateLimits.signUp), (ctx) => signUp(ctx, reserved)],
  [
    'clients that fail',
    rateLimits.clientAuthentication,
    siteLimit(rateLimits.clientAuthenticationAddress),
    (ctx) => rejectClient(ctx, { id: 'x', secret: undefined, scheme: 'Basic' }),
  ],
  [
    'proofs that fail',
    rateLimits.dpopProofAddress,
    siteLimit(rateLimits.dpopProofAddress),
    (ctx) => countFailedProof(ctx, ctx.caller.address),
  ],
]

test.each(tries)(
  '%s that are refused for their address use up nothing of what its site has',
  async (_, counted, site, tried) => {
    const ctx = { ...stage.context, counters: memoryCounters(), caller: caller({ address: '2001:db8:1:2::3' }) }
    for (let n = 0; n < counted.points + 100; n++) await tried(ctx, n).catch(() => {})
    const { remaining } = await ctx.counters.peek(site, '2001:db8:1')
    expect(remaining).toBe(site.points - counted.points)
  },
)
