import type { Caller } from '../core/caller.ts'
import { Problem } from '../core/problem.ts'
import { isLoopbackHost, parseUrl } from '../core/url.ts'

/**
 * Lets in what this machine sends by its own name, and nothing that came through a proxy. The `Host` counts as well: a website
 * whose name leads here would have a browser on this machine call. Throws `unauthorized`, in these words.
 */
export function admitThisMachine({ address, host, isForwarded }: Caller, words: string): undefined {
  if (isLoopback(address) && isLoopbackAuthority(host) && !isForwarded) return undefined
  throw new Problem('unauthorized', words)
}

const isLoopback = (address: string) => /^(127\.|::1$|::ffff:127\.)/.test(address)
const isLoopbackAuthority = (host = '') => isLoopbackHost(parseUrl(`http://${host}`)?.hostname ?? '')
