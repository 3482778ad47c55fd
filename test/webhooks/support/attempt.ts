import { isIP } from 'node:net'
import { classOf } from '../../../src/domain/webhooks/http/attempt-failure.ts'
import type { Resolve } from '../../../src/domain/webhooks/http/dns.ts'
import type { TargetRules } from '../../../src/domain/webhooks/http/target-policy.ts'
import { createTransport } from '../../../src/domain/webhooks/http/transport.ts'

/** A resolver that returns these addresses for every name. */
export const to =
  (...found: string[]): Resolve =>
  async () =>
    found.map((address) => ({ address, family: isIP(address) || 6 }))

/** One POST under these rules: its status, or the class of the error that it got instead. */
export async function attempt(rules: TargetRules, url: string, resolve: Resolve = to()) {
  const transport = createTransport({ rules, resolve, deadlineMs: 1_000, connectMs: 500 })
  const { signal } = new AbortController()
  const { status, error } = await transport.post({ url: new URL(url), headers: [], body: Buffer.from('{}'), signal })
  await transport.close()
  return status ?? classOf(error)
}
