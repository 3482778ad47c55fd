import { expect, test } from 'vitest'
import { type Counters, type Limit, memoryCounters, unlimitedCounters } from '../../../src/counters/counters.ts'
import { countFailedProof, refuseThrottledProof } from '../../../src/domain/access/failed-proofs.ts'
import { createApplication } from '../../../src/domain/applications/applications.ts'
import { rateLimits, siteLimit } from '../../../src/domain/core/rate-limits.ts'
import { createOAuthApp, credentials, errorOf } from '../../support/flows.ts'
import { newKey, proofFor, TOKEN } from './proofs.ts'

const ME = 'GET /v1/channels/ada'

/** Counters that allow so few failed proofs of an address, and note what was asked of them about proofs. */
function countersFor(points: number) {
  const [counters, asked] = [memoryCounters(), [] as string[]]
  const of = (limit: Limit) => {
    const isOfProofs = limit.name.startsWith('dpop-proof')
    if (isOfProofs) asked.push(limit.name)
    return isOfProofs ? { ...limit, points } : limit
  }
  const noting: Counters = {
    take: (limit, key) => (limit.name.startsWith('dpop-proof') ? counters : unlimitedCounters).take(of(limit), key),
    peek: (limit, key) => (limit.name.startsWith('dpop-proof') ? counters : unlimitedCounters).peek(of(limit), key),
    giveBack: counters.giveBack,
  }
  return { counters: noting, asked }
}

/** An application that binds its tokens, its token, and calls with proofs from any address. */
async function createBound(points: number) {
  const { counters, asked } = countersFor(points)
  const app = await createOAuthApp({ counters, trustProxy: 1 })
  const [own, strange] = await Promise.all([newKey(), newKey()])
  const operator = { ...app.context, principal: { kind: 'operator' } } as const
  const wanted = { name: 'It binds', confidential: true, dpop_bound: true, scopes: ['channel:read' as const] }
  const { id, client_secret } = await createApplication(operator, wanted)
  const fields = { grant_type: 'client_credentials', ...credentials({ id, secret: client_secret ?? undefined }) }

  const proof = (route: string, bound?: string, by = own, claims: object = {}) =>
    proofFor(app.base, route, { by, token: bound, claims })
  const ask = (dpop: string, from = '192.0.2.1') => app.token(fields, { dpop, 'x-forwarded-for': from })
  const { access_token: token } = (await ask(await proof(TOKEN))).body as { access_token: string }
  const use = (dpop: string, from = '192.0.2.1', route = ME) =>
    app.request(route, { headers: { authorization: `DPoP ${token}`, dpop, 'x-forwarded-for': from } })
  return {
    app,
    asked,
    ask,
    use,
    strange,
    right: (route = ME) => proof(route, route === TOKEN ? undefined : token),
    wrong: (route = ME) => proof(route, token, own, { htm: 'PATCH' }),
    proof: (by: typeof own) => proof(ME, token, by),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

test('R09 failed proofs of an address count together; the next is 429, right or wrong, and others are not touched', async () => {
  await using bound = await createBound(3)
  const { ask, use, right, wrong } = bound
  const batch = 'GET /trpc/channels.get'
  expect(errorOf(await ask(await wrong(TOKEN)))).toBe('400 invalid_dpop_proof')
  expect(errorOf(await use(await wrong()))).toBe('401 invalid_token')
  expect((await use(await wrong(batch), undefined, batch)).status).toBe(401)
  for (const dpop of [await wrong(), await right()]) {
    const refused = await use(dpop)
    expect([errorOf(refused), Number(refused.headers.get('retry-after')) > 0]).toEqual(['429 rate_limited', true])
    expect(refused.headers.get('www-authenticate')).toBeNull()
  }
  expect((await use(await right(batch), undefined, batch)).status).toBe(429)
  expect(errorOf(await ask(await right(TOKEN)))).toBe('429 rate_limited')
  expect((await use(await right(), '192.0.2.2')).status).toBe(200)
  expect((await ask(await right(TOKEN), '192.0.2.2')).status).toBe(200)
})

test('R09 what is right asks no counter of proofs, nor does what is wrong without its signature being looked at', async () => {
  await using bound = await createBound(1)
  for (let n = 0; n < 3; n++) {
    expect((await bound.use(await bound.right())).status).toBe(200)
    for (const dpop of ['x', await bound.proof(bound.strange)])
      expect(errorOf(await bound.use(dpop))).toBe('401 invalid_token')
  }
  expect(bound.asked).toEqual([])
  const used = await bound.right()
  await bound.use(used)
  expect(errorOf(await bound.use(used))).toBe('401 invalid_token')
  expect(bound.asked).toEqual(['dpop-proof-address'])
})

test('R09 the refusal ends with its minute, and holds for the networks of an IPv6 site that failed together', async () => {
  let atMs = Date.now()
  const ctx = { counters: memoryCounters(), now: () => new Date(atMs) }
  const fail = (address: string) => countFailedProof(ctx, address)
  const { points, windowS } = rateLimits.dpopProofAddress
  for (let n = 0; n < points; n++) await fail('192.0.2.1')
  expect(() => refuseThrottledProof(ctx, '192.0.2.1')).toThrow('Too many failed DPoP proofs')
  expect(() => refuseThrottledProof(ctx, '192.0.2.2')).not.toThrow()
  atMs += windowS * 1000
  expect(() => refuseThrottledProof(ctx, '192.0.2.1')).not.toThrow()

  for (let n = 0; n < siteLimit(rateLimits.dpopProofAddress).points; n++) await fail(`2001:db8:1:${n % 20}::1`)
  expect(() => refuseThrottledProof(ctx, '2001:db8:1:99::1')).toThrow('Too many failed DPoP proofs')
  expect(() => refuseThrottledProof(ctx, '2001:db8:2:99::1')).not.toThrow()
})
