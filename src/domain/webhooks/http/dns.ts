import { promises as dns } from 'node:dns'
import { AttemptFailure } from './attempt-failure.ts'

export type Address = { address: string; family: number }
/** All addresses of a name, not yet checked. Rejects with `E_DNS` or `E_DNS_TIMEOUT`. */
export type Resolve = (host: string) => Promise<Address[]>

/** Asks the name servers directly: with its own time limit, no thread of the pool, no /etc/hosts, no search domains. */
export function publicResolver(resolver = new dns.Resolver({ timeout: 2000, tries: 2 })): Resolve {
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)]
    if (found.length > 0) return found
    const isTimeout = [four, six].some(hasTimedOut)
    throw new AttemptFailure(isTimeout ? 'E_DNS_TIMEOUT' : 'E_DNS', `no address for ${host}`)
  }
}

/** Asks the operating system, which knows `localhost` and the names of neighbouring containers. */
export const systemResolver: Resolve = async (host) => {
  try {
    return await dns.lookup(host, { all: true })
  } catch (cause) {
    throw new AttemptFailure('E_DNS', `no address for ${host}`, { cause })
  }
}

type Lookup = PromiseSettledResult<string[]>

function addressesOf(lookup: Lookup, family: 4 | 6): Address[] {
  return lookup.status === 'fulfilled' ? lookup.value.map((address) => ({ address, family })) : []
}

const hasTimedOut = (lookup: Lookup) =>
  lookup.status === 'rejected' && (lookup.reason as { code?: unknown }).code === 'ETIMEOUT'
