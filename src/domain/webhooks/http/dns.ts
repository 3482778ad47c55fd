import { promises as dns } from 'node:dns'
import { within } from '../../../time/within.ts'
import type { Address } from './address-rules.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { type LocalNames, localNames } from './local-names.ts'

/** All addresses of a name, not yet checked. Rejects with `E_DNS` or `E_DNS_TIMEOUT`. */
export type Resolve = (host: string) => Promise<Address[]>

/** Less than a connection may take, or a name server that is silent would look like a receiver that is. */
export const RESOLVE_MS = 4_000

// Never dns.lookup: it waits on one of the four threads that the process has for files and passwords as well, so four names
// that nobody answers for would stop all of that
const askingNameServers = () => new dns.Resolver({ timeout: 1_500, tries: 2 })

/** Asks the name servers directly: with its own time limit, no thread of the pool, no /etc/hosts, no search domains. */
export function publicResolver(resolver = askingNameServers(), ms = RESOLVE_MS): Resolve {
  return (host) => inTime(host, ms, ask(resolver, host))
}

/**
 * The same for receivers inside one's own network: knows `localhost`, what /etc/hosts says, and the search domains of
 * /etc/resolv.conf, by which neighbouring containers are called.
 */
export function localResolver(resolver = askingNameServers(), ms = RESOLVE_MS, names = localNames()): Resolve {
  return (host) => inTime(host, ms, askLocally(resolver, names, host))
}

async function askLocally(resolver: dns.Resolver, names: LocalNames, host: string): Promise<Address[]> {
  const known = names.addressesOf(host)
  if (known.length > 0) return known
  let failure: unknown
  for (const name of names.candidatesFor(host)) {
    try {
      return await ask(resolver, name)
    } catch (error) {
      failure ??= error
    }
  }
  throw failure
}

async function ask(resolver: dns.Resolver, host: string): Promise<Address[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [...addressesOf(four, 4), ...addressesOf(six, 6)]
  if (found.length > 0) return found
  throw [four, six].some(hasTimedOut) ? timedOut(host) : new AttemptFailure('E_DNS', `no address for ${host}`)
}

const inTime = (host: string, ms: number, asked: Promise<Address[]>) =>
  within(ms, asked, () => {
    throw timedOut(host)
  })

const timedOut = (host: string) => new AttemptFailure('E_DNS_TIMEOUT', `nobody says where ${host} is`)

type Lookup = PromiseSettledResult<string[]>

function addressesOf(lookup: Lookup, family: 4 | 6): Address[] {
  return lookup.status === 'fulfilled' ? lookup.value.map((address) => ({ address, family })) : []
}

const hasTimedOut = (lookup: Lookup) =>
  lookup.status === 'rejected' && (lookup.reason as { code?: unknown }).code === 'ETIMEOUT'
